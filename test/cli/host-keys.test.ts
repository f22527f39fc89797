import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { type FakeServer, product, startFakeServer } from "../helpers/fake-server.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const ADMIN = { ORCH_ADMIN_KEY: "admin-key-of-the-test" };
const EMPTY_PAGE = { data: [], next_cursor: null };

/** A daemon of the host with this id; without one, of a version that gives none. */
async function startHost(t: Test, hostId: string | null): Promise<FakeServer> {
  const server = await startFakeServer(t);
  becomeHost(server, hostId);
  server.on("POST /products/register", { status: 201, body: { ...product(), platform_api_key: null } });
  server.on("GET /engines", { body: EMPTY_PAGE });
  return server;
}

const becomeHost = (server: FakeServer, hostId: string | null) =>
  server.on("GET /health", { body: { status: "ok", version: "9.9.9", ...(hostId !== null && { host_id: hostId }) } });

/** The platform keys that a server was sent. */
const sentKeys = ({ calls }: FakeServer) =>
  calls.flatMap(({ headers }) => (headers["x-platform-key"] === undefined ? [] : [String(headers["x-platform-key"])]));

const register = ["products", "register", "demo"];
const list = ["engines", "list"];

t.test("another address is not sent a host's keys for its claim, until a person pairs it", async (t) => {
  const [one, other] = [await startHost(t, "host_a"), await startHost(t, "host_a")];
  const orchctl = orchctlFor(t, one);
  await orchctl(register, { env: ADMIN });
  const refused = await orchctl([...list, "--url", other.url]);
  t.equal(refused.code, 3);
  t.match(
    refused.stderr,
    `${other.url} says that it is host_a, whose keys are stored for ${one.url}; they were not sent`,
  );
  t.match(refused.stderr, `orchctl key pair --url ${other.url}`);
  t.same(sentKeys(other), []);
  t.match(await orchctl(["key", "pair", "--url", other.url]), { code: 0, stdout: /demo/ });
  t.equal((await orchctl([...list, "--url", other.url])).code, 0);
  t.equal((await orchctl(list)).code, 0, "and the first address works as before");
  t.same(sentKeys(other), sentKeys(one));
  t.equal(sentKeys(one).length, 1);
});

t.test("a host of this machine is known at another address by its data folder", async (t) => {
  const [one, other] = [await startHost(t, "host_a"), await startHost(t, "host_a")];
  const orchctl = orchctlFor(t, one);
  await orchctl(register, { env: ADMIN });
  const folder = orchctl.env["ORCH_DATA_DIR"] ?? "";
  mkdirSync(folder);
  writeFileSync(join(folder, "host-id"), "host_b\n");
  writeFileSync(join(folder, "address"), `${other.url}\n`);
  t.equal((await orchctl([...list, "--url", other.url])).code, 3, "the folder of another host proves nothing");
  writeFileSync(join(folder, "host-id"), "host_a\n");
  writeFileSync(join(folder, "address"), "http://127.0.0.1:1\n");
  t.equal((await orchctl([...list, "--url", other.url])).code, 3, "nor does another address");
  writeFileSync(join(folder, "address"), `${other.url}\n`);
  t.same(await orchctl([...list, "--url", other.url.replace("127.0.0.1", "localhost")]), {
    code: 0,
    stdout: (await orchctl([...list, "--url", other.url])).stdout,
    stderr: "",
  });
  t.equal(sentKeys(other).length, 2);
});

t.test("hosts that answer at one address in turn keep their keys apart", async (t) => {
  const server = await startHost(t, "host_a");
  const orchctl = orchctlFor(t, server);
  await orchctl(register, { env: ADMIN });
  await orchctl(list);
  becomeHost(server, "host_b");
  const refused = await orchctl(list);
  t.equal(refused.code, 3);
  t.match(refused.stderr, "they are stored for another host at this address (host_a)");
  await orchctl(register, { env: ADMIN });
  await orchctl(list);
  becomeHost(server, "host_a");
  await orchctl(list);
  const [first, second, third] = sentKeys(server);
  t.equal(sentKeys(server).length, 3);
  t.not(first, second);
  t.equal(third, first);
});

t.test("a daemon that gives the id of another host gets no entry of its keys by saving one", async (t) => {
  const [one, hostile] = [await startHost(t, "host_a"), await startHost(t, "host_a")];
  const orchctl = orchctlFor(t, one);
  await orchctl(register, { env: ADMIN });
  await orchctl([...register, "--url", hostile.url], { env: ADMIN });
  await orchctl([...list, "--url", hostile.url]);
  await orchctl(list);
  t.equal(sentKeys(hostile).length, 1);
  t.not(sentKeys(hostile)[0], sentKeys(one)[0]);
});

t.test("keys that an earlier version stored under an address become those of the host there", async (t) => {
  const [server, other] = [await startHost(t, "host_a"), await startHost(t, "host_b")];
  const orchctl = orchctlFor(t, server);
  mkdirSync(orchctl.configDir);
  const path = join(orchctl.configDir, "credentials.json");
  const stored = { current: "demo", products: { demo: { platform_key: "orchp_stored" } }, engines: {} };
  writeFileSync(path, JSON.stringify({ [server.url]: stored }));
  t.equal((await orchctl([...list, "--url", other.url])).code, 3);
  t.equal((await orchctl(list)).code, 0);
  t.same(sentKeys(server), ["orchp_stored"]);
  t.match(JSON.parse(readFileSync(path, "utf8")), { [server.url]: { ...stored, host_id: "host_a" } });
  becomeHost(server, "host_b");
  t.equal((await orchctl(list)).code, 3, "and no other's");
});

t.test("with a daemon that gives no id the keys belong to its address", async (t) => {
  const server = await startHost(t, null);
  const orchctl = orchctlFor(t, server);
  await orchctl(register, { env: ADMIN });
  t.equal((await orchctl(list)).code, 0);
  t.equal(sentKeys(server).length, 1);
  becomeHost(server, "host_a");
  t.equal((await orchctl(list)).code, 0, "also after its upgrade");
});
