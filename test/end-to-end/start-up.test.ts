import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createServer } from "node:net";
import t, { type Test } from "tap";
import { ask } from "../helpers/api.ts";
import { freePort, launchDaemon, startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";

/** Starts the daemon with settings it cannot use; what it printed, once it has exited with 1. */
async function refusal(t: Test, env: Record<string, string>): Promise<string> {
  const { process, output } = launchDaemon({ ORCH_PORT: String(await freePort()), ...env });
  t.teardown(() => process.kill("SIGKILL"));
  const [code] = (await once(process, "exit")) as [number];
  t.equal(code, 1);
  return output();
}

t.test("bad settings are reported all at once, by name, before anything is made", async (t) => {
  const dataDir = join(freshFolder(t), "data");
  const words = await refusal(t, {
    ORCH_DATA_DIR: dataDir,
    ORCH_PORT: "1e4",
    ORCH_PORT_MIN: "300",
    ORCH_PORT_MAX: "200",
    ORCH_BOOT_TIMEOUT_S: "0",
    ORCH_LOG_LEVEL: "loud",
    ORCH_ADMIN_KEY: "short",
    DATABASE_URL: "mysql://x",
    LLM_PROVIDER: "foo",
    LLM_CONTEXT_WINDOW: "big",
    LLM_BASE_URL: "ftp://x",
    ENGINE_LOG_LEVEL: "loud",
  });
  for (const problem of [
    /ORCH_PORT: expected an integer from 1 to 65535, got "1e4"/,
    /ORCH_PORT_MIN: expected at most ORCH_PORT_MAX \(200\), got 300/,
    /ORCH_BOOT_TIMEOUT_S: expected an integer from 1 to 3600, got "0"/,
    /ORCH_LOG_LEVEL: expected one of trace/,
    /ORCH_ADMIN_KEY: expected at least 16 characters/,
    /DATABASE_URL: expected a postgres:\/\/ address/,
    /LLM_PROVIDER: expected one of anthropic, .*, got "foo"/,
    /LLM_CONTEXT_WINDOW: expected an integer from 4000/,
    /LLM_BASE_URL: expected a URL/,
    /ENGINE_LOG_LEVEL: expected DEBUG, INFO, WARN or ERROR, got "loud"/,
  ]) {
    t.match(words, problem);
  }
  t.notOk(existsSync(dataDir));
});

t.test("a port range that holds the daemon's own port is refused", async (t) => {
  const words = await refusal(t, { ORCH_PORT: "7700", ORCH_PORT_MIN: "7000", ORCH_PORT_MAX: "8000" });
  t.match(words, /ORCH_PORT: expected a port outside ORCH_PORT_MIN\.\.ORCH_PORT_MAX/);
});

t.test("settings of the broker that engines could not use are refused", async (t) => {
  const words = await refusal(t, {
    ORCH_BROKER_PORT: "20005",
    ORCH_BROKER_URL: "http://user:word@broker:7701",
    ORCH_BROKER_KEY: "too short",
  });
  t.match(words, /ORCH_BROKER_PORT: expected a port outside ORCH_PORT_MIN\.\.ORCH_PORT_MAX/);
  t.match(words, /ORCH_BROKER_URL: expected http:\/\/host:port/);
  t.match(words, /ORCH_BROKER_KEY: expected at least 16 characters/);
});

t.test("a data folder that cannot be used is named", async (t) => {
  const file = join(freshFolder(t), "a-file");
  writeFileSync(file, "");
  t.match(await refusal(t, { ORCH_DATA_DIR: file }), /ORCH_DATA_DIR: the data folder .*a-file cannot be used/);
  t.match(await refusal(t, { ORCH_DATA_DIR: join(file, "below") }), /ORCH_DATA_DIR: /);
});

t.test("an unreachable database is reported without its password", async (t) => {
  const DATABASE_URL = `postgres://orchd:geheim@127.0.0.1:${await freePort()}/orchd`;
  const words = await refusal(t, { ORCH_DATA_DIR: freshFolder(t), DATABASE_URL });
  t.match(words, /the database at DATABASE_URL cannot be reached \(.*ECONNREFUSED/);
  t.notMatch(words, /geheim/);
});

t.test("a port in use is reported, and the bundled database is stopped again", async (t) => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  t.teardown(() => other.close());
  const { port } = other.address() as { port: number };
  const dataDir = freshFolder(t);
  const words = await refusal(t, { ORCH_DATA_DIR: dataDir, ORCH_PORT: String(port) });
  t.match(words, `ORCH_PORT is in use by another program: 127.0.0.1 port ${port} (`);
  t.notOk(existsSync(join(dataDir, "postgres", "data", "postmaster.pid")));
});

t.test("the first start makes its keys, readable by their owner alone, and says what to type next", async (t) => {
  const dataDir = freshFolder(t);
  mkdirSync(join(dataDir, "deep"));
  const daemon = await startDaemon(t, { dataDir: join(dataDir, "deep") });
  for (const words of [
    /is ready at http:/,
    /admin key {2}.*admin-key/,
    /npx orchctl products register demo/,
    /npx orchctl engines provision alice/,
    /npx orchctl chat alice/,
  ]) {
    t.match(daemon.output(), words);
  }
  t.notOk(daemon.output().includes(daemon.adminKey), "the key itself is not printed");
  t.match((await ask(daemon.url, "/ready")).body, { status: "ready" });
  const { body } = await daemon.admin("/products/register", { method: "POST", body: { slug: "kept" } });
  t.equal(await daemon.stop(), 0);
  t.match(daemon.output(), /orchd stops on SIGTERM; engines keep running/);
  const again = await startDaemon(t, {
    dataDir: join(dataDir, "deep"),
    env: { LLM_PROVIDER: "anthropic", ORCH_PROT: "1", ORCH_URL: "for orchctl" },
  });
  t.match(again.output(), /"settings":\["ORCH_PROT"\].*"ignored unknown settings"/);
  t.match(again.output(), /model {6}anthropic\n +LLM_API_KEY: expected the key of anthropic\n.* engine_env/);
  t.equal(again.adminKey, daemon.adminKey);
  t.equal((await again.platform(body.platform_api_key, "/engines")).status, 200, "everything is still there");
});
