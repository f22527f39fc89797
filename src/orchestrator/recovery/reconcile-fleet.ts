import type { EngineProcess } from "../fleet/engine-backend.ts";
import { setEngineKeys } from "../fleet/engine-control.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import { probeOnce } from "../fleet/health-probe.ts";
import { isRunning } from "../rules/engine-lifecycle.ts";
import { type Observed, judgeAdoption } from "../rules/adoption.ts";
import { listEnginesOfHost } from "../store/engines.ts";
import { type Product, findProduct } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { handleUnobservedExit, finishDestroy, finishStop } from "./finish-transition.ts";
import { recordedProcess } from "../supervision/end-process.ts";
import { engineUrl } from "../status/engine-record.ts";
import { retryMove } from "../supervision/retry-move.ts";
import { retryUntilStopped } from "../supervision/retry-until-stopped.ts";
import { acceptedKeys, launchOrder } from "../supervision/launch-order.ts";
import { liveEngine } from "../supervision/live-engine.ts";
import type { HostContext } from "../host-context.ts";
import { abandonProvision } from "../operations/provision-engine.ts";
import { restartLater, superviseEngine } from "../supervision/supervise-engine.ts";
import { MISSES_UNHEALTHY } from "../supervision/watch-engine.ts";

const PROBE_TIMEOUT_MS = 2000;

/**
 * Finds the engines of an earlier daemon again and goes on with what it left, row by row as the rule of adoption
 * says. Resolves when every engine that still runs is looked after; what takes longer goes on behind.
 */
export async function reconcileFleet(host: HostContext): Promise<{ readonly adopted: number }> {
  const rows = await listEnginesOfHost(host.db, host.settings.portRange.hostId);
  const products = eachOnce((id: string) => findProduct(host.db, id));
  // Before anything is started: lives that begin now are no orphans.
  reportOrphans(host, rows);
  const outcomes = await Promise.all(
    rows.map(async (row) => {
      try {
        return await reconcile(host, row, products);
      } catch (error) {
        // One engine's trouble is not the others'; it is looked at again with what is overdue or unwatched.
        host.logger.error({ err: error, engine_id: row.id }, "an engine could not be reconciled");
        return "settled";
      }
    }),
  );
  const waiting = rows.filter((_, at) => outcomes[at] === "start_again");
  void startAgain(host, waiting);
  return { adopted: outcomes.filter((outcome) => outcome === "adopted").length };
}

/** The same for one engine that should run and that nobody looks after. */
export async function reconcileEngine(host: HostContext, row: EngineRow): Promise<void> {
  const outcome = await reconcile(host, row, (id) => findProduct(host.db, id));
  if (outcome === "start_again") await startAgain(host, [row]);
}

type ProductLookUp = (id: string) => Promise<Product | null>;

/** Many engines have one product. */
function eachOnce<T>(find: (id: string) => Promise<T>): (id: string) => Promise<T> {
  const found = new Map<string, Promise<T>>();
  return (id) => {
    const known = found.get(id) ?? find(id);
    found.set(id, known);
    // A failure is for those who asked: the next one looks again.
    known.catch(() => found.delete(id));
    return known;
  };
}

async function reconcile(
  host: HostContext,
  row: EngineRow,
  products: ProductLookUp,
): Promise<"adopted" | "start_again" | "settled"> {
  const { process, observed } = await observe(host, row);
  const adoption = judgeAdoption({ state: row.state, provisioned: row.provisioned, observed });
  switch (adoption) {
    case "adopt":
    case "adopt_silent":
      if (process !== null) await adopt(host, row, { process, products, answers: adoption === "adopt" });
      return "adopted";
    case "as_crashed":
      inBackground(host, row, () => handleUnobservedExit(host, row, process));
      return "settled";
    case "start_again":
      return "start_again";
    case "start_when_due":
      inBackground(host, row, () => restartLater(host, row));
      return "settled";
    case "finish_stop":
      inBackground(host, row, () => finishStop(host, row));
      return "settled";
    case "finish_destroy":
      inBackground(host, row, () => finishDestroy(host, row));
      return "settled";
    case "undo":
      await abandonProvision(host, row);
      return "settled";
    case "rest":
      return "settled";
    default:
      return adoption satisfies never;
  }
}

/** The recorded process, if it is provably still that one, and whether it answers as this engine. */
async function observe(
  host: Pick<HostContext, "backend" | "probes" | "settings">,
  row: EngineRow,
): Promise<{ readonly process: EngineProcess | null; readonly observed: Observed }> {
  if (row.boot_id !== null && row.boot_id !== host.backend.bootId) return { process: null, observed: "rebooted" };
  const process = recordedProcess(host, row) ?? unrecordedProcess(host, row);
  if (process === null) return { process, observed: "gone" };
  const url = engineUrl(host.settings.engineHost, row.port);
  const identity = { engineId: row.id, incarnation: row.incarnation, timeoutMs: PROBE_TIMEOUT_MS };
  const answer = await host.probes.add(() => probeOnce(url, identity));
  return { process, observed: SEEN[answer.kind] };
}

const SEEN = { ok: "answers", failed: "silent", wrong_identity: "displaced" } as const;

/** A daemon that was cut short may not have written down the process that it started. */
const unrecordedProcess = (host: Pick<HostContext, "backend">, row: EngineRow): EngineProcess | null =>
  row.state === "starting" || isRunning(row.state) ? host.backend.find(row.incarnation) : null;

async function adopt(
  host: HostContext,
  row: EngineRow,
  {
    process,
    products,
    answers,
  }: { readonly process: EngineProcess; readonly products: ProductLookUp; readonly answers: boolean },
): Promise<void> {
  const { id, incarnation } = row;
  const product = await products(row.product_id);
  if (product === null) throw new Error(`the product ${row.product_id} of a running engine does not exist`);
  const healthySince = row.started_at?.getTime() ?? host.now();
  const live = liveEngine(host, row, { process, order: launchOrder(host, row, product), healthySince });
  process.discardLaunchFile();
  if (!answers) live.consecutiveFailures = MISSES_UNHEALTHY;
  host.live.add(live);
  superviseEngine(host, live);
  if (answers) await tellKeys(host, row, live);
  const { pid, bootId, startTime } = process.handle;
  await retryUntilStopped(host, "adoption", () =>
    host.states.move({
      id,
      from: answers ? ["starting", "running", "unhealthy"] : ["running", "unhealthy"],
      to: answers ? "running" : "unhealthy",
      incarnation,
      set: { pid, boot_id: bootId, process_start: startTime, started_at: row.started_at ?? new Date(host.now()) },
      event: { type: "engine.adopted", always: true, data: { pid, port: row.port } },
    }),
  );
}

/** A rotation that was cut short may have told the engine keys that were never written down. */
async function tellKeys(
  host: Pick<HostContext, "probes" | "logger">,
  row: EngineRow,
  { url, controlToken: token }: LiveEngine,
): Promise<void> {
  const told = await host.probes.add(() => setEngineKeys({ url, token }, acceptedKeys(row)));
  if (told.kind === "failed")
    host.logger.warn({ engine_id: row.id, reason: told.reason }, "an adopted engine did not take its keys");
}

/**
 * Their machine was restarted: no fault of theirs, so nothing is counted against them. One by one, for they start in
 * the order in which they come to wait for it.
 */
async function startAgain(host: HostContext, rows: readonly EngineRow[]): Promise<void> {
  for (const row of rows) {
    const { id, incarnation } = row;
    const waiting = await retryMove(host, "reboot", () => ({
      id,
      from: ["starting", "running", "unhealthy"],
      to: "backoff",
      incarnation,
      set: { pid: null, boot_id: null, process_start: null, next_restart_at: new Date(host.now()) },
      event: { type: "engine.stopped", reason: "the machine was restarted" },
    }));
    if (waiting) inBackground(host, row, () => restartLater(host, waiting));
  }
}

/** Engine processes of ours that no row knows: told, not ended, for a database from a backup knows too little. */
function reportOrphans(host: Pick<HostContext, "backend" | "logger">, rows: readonly EngineRow[]): void {
  const orphans = host.backend.orphans(new Set(rows.map(({ incarnation }) => incarnation)));
  for (const orphan of orphans) host.logger.error({ ...orphan }, "processes of an engine that no record knows");
}

/** What fails leaves the engine without an owner: the sweep takes it up again. */
function inBackground(
  host: Pick<HostContext, "owners" | "logger">,
  { id }: EngineRow,
  work: () => Promise<unknown>,
): void {
  host.owners
    .own(id, work)
    .catch((error: unknown) => host.logger.error({ err: error, engine_id: id }, "an engine could not be reconciled"));
}
