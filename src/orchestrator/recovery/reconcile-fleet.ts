import { setImmediate as immediate } from "node:timers/promises";
import PQueue from "p-queue";
import { lastEventTime } from "../store/events.ts";
import { inBackground } from "../../shared/background.ts";
import { retryUntilStopped } from "../supervision/retry-until-stopped.ts";
import { memoize } from "../../shared/memoize.ts";
import { PortTaken } from "../fleet/launch-failed.ts";
import { backendPort } from "../rules/backend-port.ts";
import { isAsleep } from "../rules/engine-lifecycle.ts";
import { judgeAdoption } from "../rules/adoption.ts";
import { listEnginesOfHost } from "../store/host-engines.ts";
import { type Product, findProduct } from "../store/products.ts";
import { hasAnySecret } from "../store/secrets.ts";
import type { EngineRow } from "../store/tables.ts";
import {
  handleUnobservedExit,
  finishDestroy,
  finishDrain,
  finishSleep,
  finishStop,
  restartWhenDue,
  retryStart,
} from "./finish-transition.ts";
import { awaitCalls } from "../supervision/await-calls.ts";
import { retryMove } from "../supervision/retry-until-stopped.ts";
import type { EngineHost, HostContext } from "../host-context.ts";
import { undoInterruptedProvision } from "../operations/undo-provision.ts";
import { adoptEngine } from "./adopt-engine.ts";
import { observeEngine } from "./observe-engine.ts";

/** Engines that are reconciled at a time. Most of it is waiting for their answers. */
const CONCURRENCY = 64;
/** Sockets that are held before others get a turn. */
const HELD_AT_ONCE = 200;

/**
 * Reconciles the rows of an earlier daemon with its kept sockets and with the running processes, row by row by the
 * adoption rule. Resolves when every running engine is supervised. Restarts, stops and destroys continue in the
 * background.
 */
export async function reconcileFleet(host: EngineHost): Promise<{ readonly adopted: number }> {
  // Engines that run call it for their tools.
  if (await hasAnySecret(host.db)) host.broker?.access();
  const rows = await listEnginesOfHost(host.db, host.settings.portRange.hostId);
  const reachable = rows.filter(({ state }) => state !== "stopped" && state !== "failed");
  host.backend.sockets.restore(reachable.map((row) => ({ id: row.id, port: backendPort(row) })));
  const isReachable = (row: EngineRow) => host.settings.publicUrl !== null || host.backend.sockets.isHeld(row.id);
  const refusing = rows.filter((row) => isAsleep(row) && !isReachable(row));
  // Many engines share a product.
  const products = memoize((id: string) => findProduct(host.db, id));
  // Before any launch, so that new incarnations do not count as orphans.
  await reportOrphans(host, rows);
  await holdSleepers(host, rows.filter(isAsleep));
  const others = rows.filter((row) => !isAsleep(row));
  const outcomes = await new PQueue({ concurrency: CONCURRENCY }).addAll(
    others.map((row) => async () => {
      try {
        return await reconcile(host, row, products);
      } catch (error) {
        // The reaper retries this engine. The others are not affected.
        host.logger.error({ err: error, engine_id: row.id }, "failed to reconcile an engine");
        return "settled";
      }
    }),
  );
  if (refusing.length > 0) await reportRefusedCalls(host, refusing.length);
  const waiting = others.filter((_, at) => outcomes[at] === "start_again");
  inBackground("restarts after a reboot", restartAfterReboot(host, waiting));
  return { adopted: outcomes.filter((outcome) => outcome === "adopted").length };
}

/**
 * Holds the sockets of engines that are asleep. Nothing of them is observed: they have no process. Through the queue of the
 * others, ten thousand would take twice as long (bench row "the start of a daemon with 10000 engines").
 */
async function holdSleepers(host: EngineHost, rows: readonly EngineRow[]): Promise<void> {
  for (const [at, row] of rows.entries()) {
    // awaitCalls binds a socket synchronously, unless its port is taken.
    continueInBackground(host, row, () => awaitCalls(host, row));
    // Calls of this daemon are answered meanwhile.
    if (at % HELD_AT_ONCE === HELD_AT_ONCE - 1) await immediate();
  }
}

/** Reconciles one engine that should run and is not supervised. */
export async function reconcileEngine(host: EngineHost, row: EngineRow): Promise<void> {
  const outcome = await reconcile(host, row, (id) => findProduct(host.db, id));
  if (outcome === "start_again") await restartAfterReboot(host, [row]);
}

type ProductLookUp = (id: string) => Promise<Product | null>;

async function reconcile(
  host: EngineHost,
  row: EngineRow,
  products: ProductLookUp,
): Promise<"adopted" | "start_again" | "settled"> {
  const { process, observed } = await observeEngine(host, row);
  const adoption = judgeAdoption({ state: row.state, provisioned: row.provisioned, observed });
  switch (adoption) {
    case "adopt":
    case "adopt_silent":
      if (process !== null) {
        const product = await products(row.product_id);
        await adoptEngine(host, row, { process, product, answers: adoption === "adopt" });
      }
      return "adopted";
    case "as_crashed":
      if (process === null) holdSocket(host, row);
      continueInBackground(host, row, () => handleUnobservedExit(host, row, process));
      return "settled";
    case "retry_start":
      if (process === null) holdSocket(host, row);
      continueInBackground(host, row, () => retryStart(host, row));
      return "settled";
    case "start_again":
      holdSocket(host, row);
      return "start_again";
    case "start_when_due":
      holdSocket(host, row);
      continueInBackground(host, row, () => restartWhenDue(host, row, process));
      return "settled";
    case "finish_sleep":
      continueInBackground(host, row, () => (isAsleep(row) ? awaitCalls(host, row) : finishSleep(host, row)));
      return "settled";
    case "finish_drain":
      await process?.settle();
      continueInBackground(host, row, () => finishDrain(host, row));
      return "settled";
    case "finish_stop":
      continueInBackground(host, row, () => finishStop(host, row));
      return "settled";
    case "finish_destroy":
      continueInBackground(host, row, () => finishDestroy(host, row));
      return "settled";
    case "undo":
      await undoInterruptedProvision(host, row);
      return "settled";
    case "ask_again":
    case "none":
      return "settled";
    default:
      return adoption satisfies never;
  }
}

/** Holds the socket of an engine that will start again, so that calls wait. A taken port is replaced by the start. */
function holdSocket({ backend }: Pick<HostContext, "backend">, engine: EngineRow): void {
  try {
    backend.sockets.hold(engine.id, backendPort(engine));
  } catch (error) {
    if (!(error instanceof PortTaken)) throw error;
  }
}

/**
 * Restarts engines after a reboot of the machine, without counting it as a crash. One after the other, because they
 * boot in the order in which they enter the queue.
 */
async function restartAfterReboot(host: EngineHost, rows: readonly EngineRow[]): Promise<void> {
  for (const row of rows) {
    const { id, incarnation } = row;
    const waiting = await retryMove(host, "reboot", () => ({
      id,
      from: ["starting", "running", "unhealthy"],
      to: "backoff",
      incarnation,
      set: { handle: null, next_restart_at: new Date(host.now()) },
      event: { type: "engine.stopped", reason: "the machine was restarted" },
    }));
    if (waiting) continueInBackground(host, row, () => host.supervisor.restart(waiting));
  }
}

/** Logs engine processes without a row. They are not stopped: the database may be an old backup. */
async function reportOrphans(host: Pick<HostContext, "backend" | "logger">, rows: readonly EngineRow[]): Promise<void> {
  const orphans = await host.backend.listOrphans(rows.map(({ incarnation: id, uid }) => ({ id, uid })));
  for (const orphan of orphans) host.logger.error({ ...orphan }, "found engine processes without a record");
}

/** After a failure the engine has no owner, and the reaper retries. */
function continueInBackground(
  host: Pick<HostContext, "transitions">,
  { id }: EngineRow,
  work: () => Promise<unknown>,
): void {
  inBackground("reconciliation of an engine", host.transitions.own(id, work), { engine_id: id });
}

/** Reports that sleeping engines refused calls while no daemon ran, because nothing kept their sockets. */
async function reportRefusedCalls(
  host: Pick<HostContext, "db" | "events" | "stopping" | "logger">,
  engines: number,
): Promise<void> {
  await retryUntilStopped(host, "event of refused calls", async () => {
    const since = await lastEventTime(host.db, host.events.hostId);
    const data = { engines, since: since?.toISOString() ?? null };
    await host.events.insert(host.db, { type: "host.calls_refused", data });
    host.logger.warn(data, "sleeping engines refused calls while no daemon ran");
  });
}
