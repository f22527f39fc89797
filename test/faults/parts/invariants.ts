import { readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { EngineState } from "../../../src/contract/orchestrator/requests.ts";
import { sha256 } from "../../../src/contract/orchestrator/api-keys.ts";
import { daemonKey } from "../../../src/orchestrator/status/daemon-key.ts";
import { SealedBox } from "../../../src/orchestrator/store/sealed-box.ts";
import { ask } from "../../helpers/api.ts";
import { engineProcesses } from "./engine-processes.ts";
import { type History, readHistory } from "./history.ts";
import type { Site } from "./site.ts";
import type { Tally } from "./tally.ts";

interface Row {
  readonly id: string;
  readonly user_id: string;
  readonly state: EngineState;
  readonly desired_state: string;
  readonly deadline_at: Date | null;
  readonly port: number;
  readonly incarnation: string;
  readonly pid: number | null;
  /** Hashes of the keys that are valid now, the daemon's own among them. */
  readonly keys: readonly string[];
}

/** A snapshot of everything that is observable of a deployment. */
interface View {
  readonly rows: readonly Row[];
  readonly ports: readonly string[];
  readonly processes: ReturnType<typeof engineProcesses>;
  readonly launchFiles: readonly string[];
  readonly folders: readonly string[];
  /** `user_id state` of each engine, as the daemon reports it. */
  readonly shown: readonly string[];
  /** Hashes of the keys a running engine accepts, by its id. Only fixtures report them. */
  readonly accepted: ReadonlyMap<string, readonly string[]>;
  readonly history: History;
}

const isRunning = ({ state }: Row): boolean => state === "running" || state === "unhealthy";
const ANSWER_MS = 1000;
const MAX_PAUSE_MS = 100;
const AT_REST: readonly EngineState[] = ["running", "sleeping", "stopped", "failed"];

/** The invariants without operations in progress. Each returns its violations. */
const INVARIANTS: Readonly<Record<string, (view: View) => readonly unknown[]>> = {
  "every state is one of rest": ({ rows }) => rows.filter(({ state }) => !AT_REST.includes(state)),
  "nothing at rest has a deadline": ({ rows }) => rows.filter((row) => row.deadline_at !== null),
  "an engine at rest is wanted so": ({ rows }) =>
    rows.filter(
      (row) => row.state !== "failed" && row.desired_state !== (row.state === "sleeping" ? "running" : row.state),
    ),
  "an engine that sleeps has no process": ({ rows }) =>
    rows.filter(({ state, pid }) => state === "sleeping" && pid !== null),
  "a running engine has exactly one process, the recorded one": ({ rows, processes }) =>
    rows.filter(isRunning).filter((row) => {
      const own = processes.filter(({ incarnation }) => incarnation === row.incarnation);
      return own.length !== 1 || own[0]?.pid !== row.pid;
    }),
  "no other process is left": ({ rows, processes }) =>
    processes.filter(({ incarnation }) => !rows.some((row) => isRunning(row) && row.incarnation === incarnation)),
  "no launch file is left": ({ launchFiles }) => launchFiles,
  "every engine has its folder, and no other folder is left": ({ rows, folders }) =>
    difference(
      rows.map(({ id }) => id),
      folders,
    ),
  "the ports taken are those of the engines": ({ rows, ports }) =>
    difference(
      rows.map(({ id, port }) => `${port} ${id}`),
      ports,
    ),
  "a running engine accepts exactly the keys of its row, and the daemon's own": ({ rows, accepted }) =>
    rows.filter(isRunning).filter(({ id, keys }) => difference(keys, accepted.get(id) ?? keys).length > 0),
  "an engine's events are one walk through its states": ({ history }) => history.gaps,
  "its last event tells the state it is in": ({ history }) => history.contradictions,
  "the audit log's chain holds": ({ history }) => history.brokenLinks,
  "the daemon shows what is": ({ rows, shown }) =>
    difference(
      rows.map(({ user_id, state }) => `${user_id} ${state}`),
      shown,
    ),
};

const difference = (expected: readonly string[], found: readonly string[]): string[] => [
  ...expected.filter((one) => !found.includes(one)).map((one) => `missing: ${one}`),
  ...found.filter((one) => !expected.includes(one)).map((one) => `too much: ${one}`),
];

export interface SettleOptions {
  readonly deadlineMs?: number;
  /** How long transient states may last before their deadlines are set to now. The reaper must then finish them. */
  readonly patienceMs?: number;
}

/** Waits until all invariants hold, counts them, and returns the violated ones with their violations. */
export async function settle(
  site: Site,
  tally: Tally,
  { deadlineMs = 20_000, patienceMs = Number.POSITIVE_INFINITY }: SettleOptions = {},
): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const start = Date.now();
  let hurried = false;
  for (;;) {
    const view = await look(site);
    const broken = Object.entries(INVARIANTS)
      .map(([name, against]) => [name, against(view)] as const)
      .filter(([, found]) => found.length > 0);
    const waited = Date.now() - start;
    if (broken.length === 0 || waited > deadlineMs) {
      const checked = Object.keys(INVARIANTS).length;
      tally.add(checked - broken.length, checked);
      return Object.fromEntries(broken);
    }
    if (waited > patienceMs && !hurried) {
      hurried = true;
      await site.db.query("update engines set deadline_at = now() where deadline_at is not null");
    }
    // Each look reads the environment of all processes.
    await sleep(Math.min(MAX_PAUSE_MS, 20 + waited / 10));
  }
}

/** Cleans up after a violation, so that later faults do not report it again. */
export async function clearAway(site: Site): Promise<void> {
  const { db, dataDir } = site;
  await site.daemon.stop("SIGKILL");
  for (const { pid } of engineProcesses(dataDir)) process.kill(pid, "SIGKILL");
  await db.query("delete from engines; delete from events");
  for (const folder of ["run", "engines", "kept"]) rmSync(join(dataDir, folder), { recursive: true, force: true });
  await site.restart();
}

async function look({ db, dataDir, products }: Site): Promise<View> {
  const { rows: stored } = await db.query<Row>(
    `select id, user_id, state, desired_state, deadline_at, port, incarnation, (handle ->> 'pid')::int as pid,
       case when previous_key_expires_at > now() then array[key_hash, previous_key_hash] else array[key_hash] end as keys
     from engines`,
  );
  const box = new SealedBox(readFileSync(join(dataDir, "secret-key"), "utf8").trim());
  const rows = stored.map((row) => ({ ...row, keys: [...row.keys, sha256(daemonKey({ box }, row.id))] }));
  const taken = await db.query<{ port: number; engine_id: string }>(
    "select port, engine_id from ports where engine_id is not null",
  );
  const accepted = await Promise.all(rows.filter(isRunning).map(acceptedKeys));
  const lists = await Promise.all(products.map((product) => product.get("/engines?limit=200")));
  return {
    rows,
    ports: taken.rows.map(({ port, engine_id }) => `${port} ${engine_id}`),
    processes: engineProcesses(dataDir),
    launchFiles: listFolder(join(dataDir, "run")),
    folders: listFolder(join(dataDir, "engines")),
    shown: lists.flatMap(({ body }) => (body?.data ?? []).map((engine: Row) => `${engine.user_id} ${engine.state}`)),
    accepted: new Map(accepted.flat()),
    history: await readHistory(db),
  };
}

async function acceptedKeys({ id, port }: Row): Promise<[string, readonly string[]][]> {
  // A call waits on the socket of an engine that has ended meanwhile, for as long as its back-off.
  const signal = AbortSignal.timeout(ANSWER_MS);
  const answer = await ask(`http://127.0.0.1:${port}`, "/keys", { signal }).catch(() => null);
  return answer?.status === 200 ? [[id, answer.body.hashes]] : [];
}

function listFolder(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    // Nothing has been made there yet.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
