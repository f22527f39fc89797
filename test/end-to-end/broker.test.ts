import { existsSync, readFileSync, readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import root, { type Test } from "tap";
import { anthropicText } from "../engine/model/two-providers.ts";
import { startUpstream, streams } from "../engine/model/upstream.ts";
import { ask } from "../helpers/api.ts";
import { orchctlOf, settingsOf } from "../helpers/backup.ts";
import { type Daemon, launchDaemon, startDaemon } from "../helpers/daemon.ts";
import { openStream } from "../helpers/engine.ts";
import { freshFolder } from "../helpers/folder.ts";
import { brokerPid } from "../helpers/model-broker.ts";
import { findInMemory } from "../helpers/search-memory.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";

/** Of the daemon's environment, and of the product's `engine_env`. */
const HOST_KEY = "sk-ant-of-the-host-0123456789";
const PRODUCT_KEY = "sk-proj-of-the-product-0123456789";
const KEYS = [HOST_KEY, PRODUCT_KEY];

const upstream = await startUpstream(root, streams(anthropicText("an answer")));
const dataDir = freshFolder(root);
const databaseUrl = await freshDatabaseUrl(root);
const env = {
  LLM_PROVIDER: "anthropic",
  LLM_API_KEY: HOST_KEY,
  LLM_BASE_URL: upstream.url,
  ORCH_HEALTH_INTERVAL_S: "1",
};
const start = (more: Readonly<Record<string, string>> = {}): Promise<Daemon> =>
  startDaemon(root, { dataDir, databaseUrl, env: { ...env, ...more } });
let daemon = await start();
const policy = { engine_env: { LLM_OPENAI_API_KEY: PRODUCT_KEY } };
const { body: product } = await daemon.admin("/products/register", { method: "POST", body: { slug: "acme", policy } });
const platformKey = product.platform_api_key as string;
const { body: engine } = await daemon.platform(platformKey, "/engines/provision", {
  method: "POST",
  body: { user_id: "alice" },
});

let turns = 0;
/** The text of a turn. */
async function turn(): Promise<string> {
  const body = { task_id: `t${turns++}`, message: "go" };
  const headers = { "x-engine-key": engine.engine_api_key as string };
  const frames = await (await openStream(engine.url as string, "/execute", { headers, body })).all();
  return frames
    .map(({ event, data }) => (event === "text_delta" ? data.text : event === "error" ? data.message : ""))
    .join("");
}

const isRunning = (pid: number): boolean =>
  existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
const pidOfBroker = (): number => brokerPid(dataDir) ?? 0;

root.test(
  "a searcher who knows the keys of providers finds none in an engine: memory, environment, files, answers",
  async (t) => {
    t.equal(await turn(), "an answer");
    t.equal(upstream.received.at(-1)?.headers["x-api-key"], HOST_KEY, "the provider got the key");
    const pid = engine.pid as number;
    t.same(findInMemory(pid, KEYS), [], "memory");
    t.same(findInMemory(pid, [engine.id as string]), [engine.id], "the search can find");
    t.same(found(readFileSync(`/proc/${pid}/environ`, "latin1")), [], "environment");
    t.same(found(readFileSync(`/proc/${pid}/cmdline`, "latin1")), [], "command line");
    t.same(filesWith(dataDir), [], "files of the host, the launch file and the log among them");
    const headers = { "x-engine-key": engine.engine_api_key as string };
    const { body: list } = await ask(engine.url as string, "/turns", { headers });
    const request = await ask(engine.url as string, `/turns/${list.items[0].turn_id}/requests/1`, { headers });
    t.equal(request.status, 200);
    t.same(found(request.text), [], "the kept request");
    t.notMatch(request.text, "orchm_", "which does not show the engine's own key either");
    for (const path of ["/engines/alice", "/engines/alice/logs?tail=1000", "/events?limit=200"])
      t.same(found((await daemon.platform(platformKey, path)).text), [], path);
    t.same(found(daemon.output()), [], "the daemon's log");
  },
);

root.test(
  "the broker holds the keys in its memory alone: not in its environment, its command line, its log",
  async (t) => {
    const pid = pidOfBroker();
    t.same(findInMemory(pid, [HOST_KEY]), [HOST_KEY]);
    for (const file of ["environ", "cmdline"]) {
      const text = readFileSync(`/proc/${pid}/${file}`, "latin1");
      t.same(found(text), []);
      t.notMatch(text, readFileSync(join(dataDir, "secret-key"), "utf8").trim());
    }
    t.same(
      findInMemory(pid, [readFileSync(join(dataDir, "secret-key"), "utf8").trim()]),
      [],
      "nor the deployment's secret",
    );
  },
);

root.test("a killed broker is started again at once, and calls wait for it", async (t) => {
  for (let kills = 0; kills < 5; kills++) {
    const before = pidOfBroker();
    process.kill(before, "SIGKILL");
    t.equal(await turn(), "an answer");
    t.not(pidOfBroker(), before);
  }
  t.equal(daemon.output().match(/the broker of model calls ended/g)?.length, 5);
});

root.test("metrics count the broker's calls, and orchctl doctor says where the keys are", async (t) => {
  await until("the broker has reported", async () =>
    (await daemon.admin("/metrics")).text.includes('orch_broker_calls_total{provider="anthropic",outcome="answered"}'),
  );
  t.match((await daemon.admin("/metrics")).text, /^orch_broker_restarts_total [5-9]$/m);
  const check = async () => (await orchctlOf(t, settingsOf(daemon))("doctor")).stdout;
  t.match(
    await check(),
    /ok +keys +those of providers are in the broker, and in no engine; it was started again 5 times/,
  );
  const port = join(dataDir, "broker", "port");
  utimesSync(port, new Date(), new Date());
  t.match(await check(), /warning +keys +1 engines started before the broker and still hold the keys/);
  utimesSync(port, 0, 0);
});

root.test("an engine works through the broker while no daemon runs, and the next daemon keeps it", async (t) => {
  const pid = pidOfBroker();
  await daemon.stop("SIGKILL");
  t.equal(await turn(), "an answer");
  daemon = await start();
  t.equal(await turn(), "an answer");
  t.equal(pidOfBroker(), pid);
  process.kill(pid, "SIGKILL");
  await until("the next daemon starts it again", () => pidOfBroker() !== pid && isRunning(pidOfBroker()));
  t.equal(await turn(), "an answer");
});

root.test("a broker that died with its daemon is started by the next one, on the same port", async (t) => {
  await daemon.stop("SIGKILL");
  process.kill(pidOfBroker(), "SIGKILL");
  daemon = await start();
  t.equal(await turn(), "an answer");
});

root.test("a daemon with other settings replaces the broker, which ends its calls first", async (t) => {
  const pid = pidOfBroker();
  await daemon.stop();
  daemon = await start({ NODE_EXTRA_CA_CERTS: certificates(t) });
  t.equal(await turn(), "an answer");
  t.not(pidOfBroker(), pid);
  await until("the earlier one has ended", () => !isRunning(pid));
});

root.test("orchd --stop-engines ends the broker too", async (t) => {
  const pid = pidOfBroker();
  await daemon.stop();
  const settings = { ...env, ORCH_DATA_DIR: dataDir, DATABASE_URL: databaseUrl };
  const { process: command, output } = launchDaemon(settings, { args: ["--stop-engines"] });
  await until("the command has ended", () => command.exitCode !== null, 120_000);
  t.equal(command.exitCode, 0, output());
  await until("it has ended", () => !isRunning(pid));
  daemon = await start();
  t.equal((await daemon.admin("/products/acme?force=true", { method: "DELETE" })).status, 200);
});

const found = (text: string): readonly string[] => KEYS.filter((key) => text.includes(key));

const filesWith = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true)
    .filter((file) => found(readFileSync(file, "latin1")).length > 0);

/** The certificates of this Node.js, as a file. */
function certificates(t: Test): string {
  const file = "/etc/ssl/certs/ca-certificates.crt";
  if (!existsSync(file)) t.fail(`${file} does not exist`);
  return file;
}
