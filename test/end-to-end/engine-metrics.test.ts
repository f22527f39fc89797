import t from "tap";
import { ask } from "../helpers/api.ts";
import { type Daemon, startDaemon } from "../helpers/daemon.ts";
import { openStream } from "../helpers/engine.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";

/** The value of the sample with these labels; 0 without one. */
async function valueOf({ url }: Daemon, sample: string): Promise<number> {
  const { text } = await ask(url, "/metrics");
  const line = text.split("\n").find((one) => one.startsWith(`${sample} `));
  return Number(line?.slice(sample.length + 1) ?? 0);
}

const COMPLETED = 'orch_turns_total{product="acme",outcome="completed",reason="none"}';
const FAILED = 'orch_turns_total{product="acme",outcome="errored",reason="LLM_PROVIDER_ERROR"}';

t.test("/metrics counts each event of engines once, also over restarts of engines and daemons", async (t) => {
  const env = { ORCH_HEALTH_INTERVAL_S: "1", LLM_PROVIDER: "sandbox" };
  const place = { dataDir: freshFolder(t), databaseUrl: await freshDatabaseUrl(t), env };
  let daemon = await startDaemon(t, place);
  const { body } = await daemon.admin("/products/register", { method: "POST", body: { slug: "acme" } });
  const post = (path: string, json: unknown = {}) =>
    daemon.platform(body.platform_api_key, path, { method: "POST", body: json });
  const { body: engine } = await post("/engines/provision", { user_id: "user-4711" });
  let tasks = 0;
  const turn = async (message: string) => {
    const stream = await openStream(engine.url, "/execute", {
      headers: { "x-engine-key": engine.engine_api_key },
      body: { task_id: `task ${++tasks}`, message },
    });
    await stream.all();
  };
  // Turns that no probe has seen are read after a minute.
  const counts = (sample: string, value: number) =>
    until(`${sample} is ${value}`, async () => (await valueOf(daemon, sample)) >= value, 90_000);

  await turn("/tool list_files {}\n/say done");
  await turn("/slow 2500\n/fail provider");
  await counts(FAILED, 1);
  await counts(COMPLETED, 1);
  const model = 'product="acme",provider="sandbox",model="sandbox"';
  t.equal(
    await valueOf(daemon, `orch_model_calls_total{${model},purpose="turn",outcome="failed",reason="permanent"}`),
    1,
  );
  t.equal((await valueOf(daemon, `orch_model_tokens_total{${model},purpose="turn",kind="output"}`)) > 0, true);
  t.equal(await valueOf(daemon, `orch_model_call_seconds_count{${model}}`), 3);
  t.equal(
    await valueOf(daemon, 'orch_tool_calls_total{product="acme",tool="list_files",outcome="completed",reason="none"}'),
    1,
  );

  await turn("/say before the stop");
  await post("/engines/user-4711/stop");
  t.equal(await valueOf(daemon, COMPLETED), 2, "the stop read what the engine had counted last");
  await post("/engines/user-4711/start");
  await turn("/slow 2500\n/say in the next incarnation");
  await counts(COMPLETED, 3);
  t.equal(await valueOf(daemon, COMPLETED), 3);

  await daemon.stop();
  await turn("/say without a daemon");
  daemon = await startDaemon(t, place);
  await counts(COMPLETED, 1);
  t.equal(await valueOf(daemon, COMPLETED), 1, "only the turn that no daemon had read");
  const { text } = await ask(daemon.url, "/metrics");
  t.notMatch(text, /user-4711/);
  await post("/engines/user-4711/stop");
});
