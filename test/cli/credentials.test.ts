import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { fault, engine, product, startFakeServer } from "../helpers/fake-server.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const ADMIN = { ORCH_ADMIN_KEY: "admin-key-of-the-test" };
const KEY = { ORCH_PLATFORM_KEY: "orchp_of-the-test" };

t.test("kept keys can be read by their owner only", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("POST /products/register", { status: 201, body: { ...product(), platform_api_key: null } });
  await orchctl(["products", "register", "demo"], { env: ADMIN });
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
  t.equal(mode(orchctl.configDir), "700");
  t.equal(mode(join(orchctl.configDir, "credentials.json")), "600");
});

t.test("keys that many commands keep at once are all kept", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("POST /engines/provision", ({ body: { user_id } }) => ({
    status: 201,
    body: { ...engine({ user_id, id: `eng_${user_id}` }), engine_api_key: `sk-orch-${user_id}` },
  }));
  const users = Array.from({ length: 8 }, (_, index) => `user-${index}`);
  await Promise.all(users.map((user) => orchctl(["engines", "provision", user], { env: KEY })));
  const kept = JSON.parse(readFileSync(join(orchctl.configDir, "credentials.json"), "utf8"));
  t.same(
    Object.keys(kept[server.url].engines).sort(),
    users.map((user) => `eng_${user}`),
  );
});

t.test("a key of an engine that was made anew is not taken for the old one's", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("POST /engines/provision", { status: 201, body: { ...engine(), engine_api_key: "sk-orch-old" } });
  await orchctl(["engines", "provision", "alice"], { env: KEY });
  server.on("GET /engines/alice", { body: engine({ id: "eng_2", url: server.url }) });
  server.on("POST /engines/alice/tokens", fault(403, "PRODUCT_SUSPENDED", "the product is suspended"));
  const ran = await orchctl(["chat", "alice", "hi"], { env: KEY });
  t.equal(ran.code, 3);
  t.match(ran.stderr, /the product is suspended/);
  t.notOk(server.calls.some(({ headers }) => headers["x-engine-key"] !== undefined));
});

t.test("keys of one daemon are not shown to another", async (t) => {
  const [one, other] = [await startFakeServer(t), await startFakeServer(t)];
  const orchctl = orchctlFor(t, one);
  one.on("POST /products/register", { status: 201, body: { ...product(), platform_api_key: null } });
  await orchctl(["products", "register", "demo"], { env: ADMIN });
  const ran = await orchctl(["engines", "list", "--url", other.url]);
  t.equal(ran.code, 3);
  const words = `no platform keys are stored for ${other.url}; they are stored for ${one.url} (set ORCH_URL or --url)`;
  t.match(ran.stderr, words);
  t.equal(other.calls.length, 0);
});

t.test("a damaged file is reported and left alone, and the key is still shown", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const path = join(t.testdir({ config: { "credentials.json": "{" } }), "config");
  server.on("POST /engines/provision", { status: 201, body: { ...engine(), engine_api_key: "sk-orch-shown" } });
  const ran = await orchctl(["engines", "provision", "alice"], { env: { ...KEY, ORCHCTL_CONFIG_DIR: path } });
  t.equal(ran.code, 1);
  t.match(ran.stdout, /sk-orch-shown/);
  t.match(ran.stderr, /credentials\.json is damaged/);
  t.equal(readFileSync(join(path, "credentials.json"), "utf8"), "{");
});

t.test("an unreadable file is reported in words", async (t) => {
  const orchctl = orchctlFor(t, await startFakeServer(t));
  const env = { ORCHCTL_CONFIG_DIR: join(t.testdir({ config: { "credentials.json": {} } }), "config") };
  t.match(await orchctl(["engines", "list"], { env }), {
    code: 1,
    stderr: /^orchctl: .*credentials\.json cannot be read \(EISDIR\)\n$/,
  });
});

t.test("a key may come from a file; a missing, empty or invalid one is reported without showing it", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("GET /engines", { body: { data: [], next_cursor: null } });
  const dir = t.testdir({ good: "orchp_file\r\n", empty: "\n", bad: "" });
  writeFileSync(join(dir, "bad"), "secret\u0001key");
  const list = (file: string) => orchctl(["engines", "list"], { env: { ORCH_PLATFORM_KEY_FILE: join(dir, file) } });
  t.equal((await list("good")).code, 0);
  t.equal(server.calls[0]?.headers["x-platform-key"], "orchp_file");
  for (const [file, words] of [
    ["missing", /missing cannot be read/],
    ["empty", /empty is empty/],
    ["bad", /platformKey: expected visible ASCII characters/],
  ] as const) {
    const ran = await list(file);
    t.equal(ran.code, 2, file);
    t.match(ran.stderr, words);
    t.notMatch(ran.stderr, /secret/);
  }
});

t.test("without any key the ways to give one are named", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const admin = await orchctl(["products", "list"]);
  t.equal(admin.code, 3);
  t.match(admin.stderr, /set ORCH_ADMIN_KEY or ORCH_ADMIN_KEY_FILE, or ORCH_DATA_DIR .*admin-key cannot be read/);
  const platform = await orchctl(["engines", "list"]);
  t.equal(platform.code, 3);
  t.match(platform.stderr, /orchctl products register .*ORCH_PLATFORM_KEY/);
  t.equal(server.calls.length, 0);
});
