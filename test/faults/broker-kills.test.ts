import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { anthropicText } from "../engine/model/two-providers.ts";
import { startUpstream } from "../engine/model/upstream.ts";
import { startDaemon } from "../helpers/daemon.ts";
import { openStream } from "../helpers/engine.ts";
import { freshFolder } from "../helpers/folder.ts";
import { brokerPid } from "../helpers/model-broker.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";
import { LONG } from "./parts/long.ts";
import { report } from "./parts/report.ts";

const KILLS = LONG ? 100 : 20;
const STREAMS = 50;
const USERS = 5;
/** Between two frames of the provider, and before the first. */
const PACE_MS = 15;

interface User {
  readonly url: string;
  readonly engine_api_key: string;
}

t.test(`the broker is killed ${KILLS} times under ${STREAMS} streams, and no turn is lost`, async (t) => {
  const frames = anthropicText("an answer");
  const upstream = await startUpstream(t, async (response) => {
    await sleep(PACE_MS * 4);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const frame of frames) {
      response.write(frame);
      await sleep(PACE_MS);
    }
    response.end();
  });
  const dataDir = freshFolder(t);
  const env = { LLM_PROVIDER: "anthropic", LLM_API_KEY: "sk-of-the-host", LLM_BASE_URL: upstream.url };
  const daemon = await startDaemon(t, { dataDir, databaseUrl: await freshDatabaseUrl(t), env });
  const policy = { requests_per_minute: null };
  const { body: product } = await daemon.admin("/products/register", {
    method: "POST",
    body: { slug: "acme", policy },
  });
  const provision = async (_: unknown, at: number): Promise<User> => {
    const body = { user_id: `user-${at}` };
    return (await daemon.platform(product.platform_api_key, "/engines/provision", { method: "POST", body })).body;
  };
  const users = await Promise.all(Array.from({ length: USERS }, provision));
  const over = new AbortController();
  const counts = { completed: 0, repeated: 0, lost: 0 };
  const failures: string[] = [];
  const talk = async (user: User, worker: number): Promise<void> => {
    for (let turn = 0; !over.signal.aborted; turn++) {
      const headers = { "x-engine-key": user.engine_api_key };
      const body = { task_id: `${worker}-${turn}`, message: "go" };
      const seen = await (await openStream(user.url, "/execute", { headers, body })).all();
      const again = seen.findLastIndex(({ data }) => data.replaces_from !== undefined);
      // What an answer that was cut had shown is replaced.
      const shown = seen.slice(Math.max(again, 0));
      const text = shown.map(({ event, data }) => (event === "text_delta" ? data.text : "")).join("");
      const error = seen.find(({ event }) => event === "error")?.data.message as string | undefined;
      if (again !== -1) counts.repeated++;
      if (error === undefined && text === "an answer") counts.completed++;
      else {
        counts.lost++;
        failures.push(`${JSON.stringify(text)}: ${error}`);
      }
    }
  };
  const streams = Array.from({ length: STREAMS }, (_, at) => talk(users[at % USERS] as User, at));
  for (let kills = 0; kills < KILLS; kills++) {
    const before = counts.completed;
    await until("turns go on", () => counts.completed >= before + STREAMS / 5, 30_000);
    const pid = brokerPid(dataDir) ?? 0;
    process.kill(pid, "SIGKILL");
    await until("the broker is back", () => brokerPid(dataDir) !== pid);
  }
  over.abort();
  await Promise.all(streams);
  report(t, {
    "brokers killed": KILLS,
    "turns completed": counts.completed,
    "… whose answer began again": counts.repeated,
    "turns lost": counts.lost,
  });
  t.same(failures, [], "no turn failed");
  t.equal(counts.lost, 0);
  t.equal((await daemon.admin("/products/acme?force=true", { method: "DELETE" })).status, 200);
});
