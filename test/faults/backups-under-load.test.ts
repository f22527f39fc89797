import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import t, { type Test } from "tap";
import { archiveOf, daemonOf, emptyPlace, hostWithEngine } from "../end-to-end/restored-host.ts";
import { orchctlOf } from "../helpers/backup.ts";
import type { Daemon } from "../helpers/daemon.ts";
import { openStream } from "../helpers/engine.ts";
import { until } from "../helpers/until.ts";
import { completedTasks } from "./parts/completed-tasks.ts";
import { LONG } from "./parts/long.ts";
import { report } from "./parts/report.ts";

const BACKUPS = LONG ? 100 : 2;
/** Each of them is verified, and every so many restored. */
const RESTORED_EVERY = LONG ? 10 : 2;
/**
 * Between two turns of a user, so that turns and backups share the processors on any machine, and an engine keeps all
 * events of the run: it prunes those before the last 200,000.
 */
const PAUSE_MS = 250;
const USERS = Array.from({ length: LONG ? 6 : 3 }, (_, index) => `user-${index}`);

interface Engine {
  readonly url: string;
  readonly engine_api_key: string;
}

t.setTimeout(LONG ? 7_200_000 : 180_000);

t.test("a backup made under load has each turn that had ended before it, once", async (t) => {
  const host = await hostWithEngine(t);
  const provision = async (user_id: string): Promise<Engine> =>
    (await host.daemon.platform(host.key, "/engines/provision", { method: "POST", body: { user_id } })).body;
  const engines = await Promise.all(USERS.map(provision));
  /** The tasks of each user's turns that have ended. */
  const ended = USERS.map((): string[] => []);
  const over = new AbortController();
  t.teardown(() => over.abort());
  const load = engines.map(async (engine, index) => {
    while (!over.signal.aborted) {
      ended[index]?.push(await turnOf(engine));
      await pause(PAUSE_MS);
    }
  });
  let restored = 0;
  for (let nth = 1; nth <= BACKUPS; nth++) {
    const turns = ended.flat().length;
    await until("turns go on", () => ended.flat().length > turns + USERS.length);
    const before = ended.map((tasks) => [...tasks]);
    const archive = await archiveOf(t, host);
    const verified = await orchctlOf(t, host.settings)("backup", "verify", archive);
    t.match(verified, { code: 0, stdout: /complete backup/ }, `${nth}: ${verified.stderr}`);
    if (nth % RESTORED_EVERY === 0) {
      await t.test(`backup ${nth} is restored`, (t) => restoreOf(t, { archive, key: host.key, before }));
      restored++;
    }
    await rm(archive);
  }
  over.abort();
  await Promise.all(load);
  report(t, { backups: BACKUPS, "… restored": restored, "turns meanwhile": ended.flat().length });
});

/** Says something in a new task, whose id it returns when the turn has ended. */
async function turnOf({ url, engine_api_key: key }: Engine): Promise<string> {
  const body = { task_id: randomUUID(), message: "/say one two three" };
  const events = await (await openStream(url, "/execute", { headers: { "x-engine-key": key }, body })).all();
  if (events.at(-1)?.data.phase !== "completed")
    throw new Error(`the turn ended with ${JSON.stringify(events.at(-1))}`);
  return body.task_id;
}

async function restoreOf(
  t: Test,
  { archive, key, before }: { archive: string; key: string; before: readonly (readonly string[])[] },
): Promise<void> {
  const place = await emptyPlace(t);
  const { code, stderr } = await orchctlOf(t, place)("backup", "restore", archive);
  t.equal(code, 0, stderr);
  const daemon = await daemonOf(t, place);
  for (const [index, user] of USERS.entries()) {
    const kept = await keptTasks(daemon, key, user);
    const missing = before[index]?.filter((task) => !kept.includes(task));
    t.same({ missing, twice: kept.length - new Set(kept).size }, { missing: [], twice: 0 }, user);
  }
}

/** The tasks of the completed turns of a user of the restored host. */
async function keptTasks(daemon: Daemon, key: string, user: string): Promise<readonly string[]> {
  const { body: engine } = await until(`${user} runs`, async () => {
    const answer = await daemon.platform(key, `/engines/${user}`);
    return answer.body.state === "running" ? answer : null;
  });
  const { body: rotated } = await daemon.platform(key, `/engines/${user}/rotate-key`, { method: "POST", body: {} });
  return completedTasks({ url: engine.url, key: rotated.engine_api_key });
}
