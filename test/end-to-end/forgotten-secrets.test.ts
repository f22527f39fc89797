import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import root from "tap";
import { sealingKeyOf } from "../../src/contract/broker/call-key.ts";
import { sealEngineKey } from "../../src/contract/broker/engine-key.ts";
import { newPlaceholder } from "../../src/contract/broker/placeholder.ts";
import {
  ENGINE_KEY_HEADER,
  SECRET_CALL_PATH,
  SECRET_HEADER,
  SECRET_TARGET_HEADER,
  encodeUrl,
} from "../../src/contract/broker/secret-calls.ts";
import { type Daemon, startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { openReplicas } from "../helpers/replicas.ts";
import { ORIGIN_CA, startOrigin } from "../helpers/secret-origin.ts";
import { until } from "../helpers/until.ts";

const SECRET_KEY = randomBytes(24).toString("hex");
const ROUNDS = 10;
const origin = await startOrigin(root);
const env = { NODE_EXTRA_CA_CERTS: ORIGIN_CA, ORCH_SECRET_KEY: SECRET_KEY };
const replicas = await openReplicas(root, { products: ["acme"], env });
const leader = await replicas.start();
const follower = await replicas.start();
const policy = { tool_network: ["localhost", "127.0.0.1"], requests_per_minute: null, idle_stop_s: 0 };
const { body: acme } = await leader.admin("/products/register", { method: "POST", body: { slug: "acme", policy } });
const platform = (daemon: Daemon, method: string, path: string, body?: object) =>
  daemon.platform(acme.platform_api_key, path, { method, ...(body !== undefined && { body }) });
const { body: alice } = await platform(leader, "POST", "/engines/provision", { user_id: "alice" });
const MINE = "/engines/alice/secrets/MINE";
const OURS = "/products/acme/secrets/OURS";
const secret = (value: string) => ({ value, hosts: [origin.host] });

const database = new pg.Client({ connectionString: replicas.databaseUrl });
await database.connect();
root.teardown(() => database.end());
const engineKey = async (): Promise<string> => {
  const { rows } = await database.query("select incarnation from engines where id = $1", [alice.id]);
  return sealEngineKey(sealingKeyOf(SECRET_KEY), { engine: alice.id, incarnation: rows[0].incarnation });
};
let key = await engineKey();
/** The status of a call of a tool with a secret. `sent`: the header that the host got. */
async function call(name: string): Promise<{ readonly status: number; readonly sent: string | undefined }> {
  const port = readFileSync(join(leader.dataDir, "broker", "port"), "utf8").trim();
  const before = origin.requests.length;
  const { status } = await fetch(`http://127.0.0.1:${port}${SECRET_CALL_PATH}`, {
    headers: {
      [ENGINE_KEY_HEADER]: key,
      [SECRET_TARGET_HEADER]: encodeUrl(`${origin.url}/api`),
      [SECRET_HEADER]: newPlaceholder(key, name),
    },
  });
  return { status, sent: origin.requests.slice(before).at(-1)?.headers.authorization };
}

root.test("the next call after the answer to a DELETE, or to a new value, does not get the old one", async (t) => {
  for (let round = 0; round < ROUNDS; round++) {
    const daemon = round % 2 === 0 ? leader : follower;
    const value = `value-number-${round}`;
    t.equal((await platform(daemon, "PUT", MINE, secret(value))).status, 200);
    t.match(await call("MINE"), { status: 200, sent: `Bearer ${value}` }, "the new value");
    t.equal((await platform(daemon, "DELETE", MINE)).status, 200);
    t.match(await call("MINE"), { status: 403, sent: undefined }, "after the deletion");
  }
});

root.test("no call that begins after the answer gets the value, whatever calls were in flight", async (t) => {
  for (let round = 0; round < ROUNDS; round++) {
    await platform(leader, "PUT", MINE, secret("a value of many calls"));
    await call("MINE");
    const deleted = new AbortController();
    const calling = Promise.all(
      Array.from({ length: 8 }, async () => {
        while (!deleted.signal.aborted) await call("MINE");
      }),
    );
    await platform(leader, "DELETE", MINE);
    deleted.abort();
    t.same(await Promise.all(Array.from({ length: 8 }, async () => (await call("MINE")).status)), Array(8).fill(403));
    await calling;
  }
});

root.test("a daemon of another host with the same database is heard within a second", async (t) => {
  const second = await startDaemon(t, {
    dataDir: freshFolder(t, "orchd-second"),
    databaseUrl: replicas.databaseUrl,
    env: { ...env, ORCH_HOST_ID: "second", ORCH_ADMIN_KEY: leader.adminKey },
  });
  const admin = (method: string, body?: object) => second.admin(OURS, { method, ...(body !== undefined && { body }) });
  for (let round = 0; round < ROUNDS; round++) {
    t.equal((await admin("PUT", secret(`of round ${round}`))).status, 200);
    await until("it is used", async () => (await call("OURS")).sent === `Bearer of round ${round}`, 1000);
    t.equal((await admin("DELETE")).status, 200);
    await until("it is refused", async () => (await call("OURS")).status === 403, 1000);
  }
});

root.test("a policy that closes the network of tools holds for the next call", async (t) => {
  await platform(leader, "PUT", MINE, secret("a value of a closed network"));
  const setNetwork = (tool_network: unknown) =>
    leader.admin("/products/acme/policy", { method: "PUT", body: { tool_network } });
  for (let round = 0; round < ROUNDS; round++) {
    t.equal((await setNetwork(policy.tool_network)).status, 200);
    t.match(await call("MINE"), { status: 200 });
    t.equal((await setNetwork("none")).status, 200);
    t.match(await call("MINE"), { status: 403, sent: undefined });
  }
  await setNetwork(policy.tool_network);
});

root.test("the keys of an engine that has stopped are refused at once", async (t) => {
  await platform(leader, "PUT", MINE, secret("a value of an engine that stops"));
  t.match(await call("MINE"), { status: 200 });
  t.equal((await platform(leader, "POST", "/engines/alice/stop", {})).status, 200);
  await until("they are refused", async () => (await call("MINE")).status === 403, 1000);
  t.equal((await platform(leader, "POST", "/engines/alice/start", {})).status, 200);
  t.match(await call("MINE"), { status: 403 }, "also while the next start runs");
  key = await engineKey();
  t.match(await call("MINE"), { status: 200 }, "which has keys of its own");
});

root.test("the metrics say how calls of tools ended", async (t) => {
  const isReported = async () => {
    const { text } = await leader.admin("/metrics");
    return [/kind="secret",outcome="answered"/, /kind="secret",outcome="missing"/].every((one) => one.test(text));
  };
  await until("both are reported", isReported);
  t.pass("answered and missing");
});

root.test("a broker that does not answer fails no request", async (t) => {
  const { pid } = JSON.parse(readFileSync(join(leader.dataDir, "broker", "process.json"), "utf8"));
  process.kill(pid, "SIGSTOP");
  t.teardown(() => process.kill(pid, "SIGCONT"));
  t.equal((await platform(leader, "DELETE", MINE)).status, 200);
  process.kill(pid, "SIGCONT");
  await until("it was told nevertheless", async () => (await call("MINE")).status === 403);
});
