import { delay } from "../../shared/clock.ts";
import { findSettledEngine } from "../store/engines.ts";
import { lockPolicy } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { endProcessIf } from "../supervision/end-process.ts";
import { ProcessSurvived } from "../supervision/process-survived.ts";
import { retryUntilStopped } from "../supervision/retry-until-stopped.ts";
import type { EngineHost, HostContext } from "../host-context.ts";

const UNDO_MS = 30_000;
/** How long the call that provisioned waits for the undo. Then the undo continues in the background. */
const UNDO_WAIT_MS = 5000;
/** How long the start of a daemon waits for the undo, since all engines and calls wait for that start. */
const START_WAIT_MS = 1000;
const TERM_MS = 2000;

/** `stopped`: provisioned without a start. */
const UNFINISHED = ["provisioning", "starting", "stopped"] as const;

/** What identifies a provision and its folder. */
export type ProvisionedIncarnation = Pick<EngineRow, "id" | "incarnation" | "product_id" | "user_id">;

/**
 * Undoes a failed provision, with retries until it succeeds. No client has the key of its engine, and its row would prevent
 * another engine of the user.
 */
export async function undoFailedProvision(
  host: EngineHost,
  engine: EngineRow,
  { processIsGone, waitMs = UNDO_WAIT_MS }: { readonly processIsGone: boolean; readonly waitMs?: number },
): Promise<void> {
  let attempt = processIsGone ? undoProvision : abandonProvision;
  const undone = host.transitions.own(engine.id, () =>
    retryUntilStopped(host, "undo of a failed provision", () => {
      const current = attempt;
      attempt = abandonProvision;
      return current(host, engine);
    }),
  );
  await Promise.race([undone, delay(waitMs)]);
}

/** Undoes the provision that an earlier daemon left unfinished. */
export const undoInterruptedProvision = (host: EngineHost, engine: EngineRow): Promise<void> =>
  undoFailedProvision(host, engine, { processIsGone: false, waitMs: START_WAIT_MS });

/**
 * Stops the process of an unfinished provision, then undoes the provision. Rejects while the process survives: without its
 * row, a second one of the same user could start.
 */
export async function abandonProvision(host: EngineHost, row: EngineRow): Promise<void> {
  const end = await endProcessIf(host, row, { from: UNFINISHED, drainMs: 0, termMs: TERM_MS, leavesAddress: true });
  if (end?.kind === "survived") throw new ProcessSurvived(row.id, end);
  await undoProvision(host, row);
}

/** Undoes a reservation whose commit may or may not have happened. The product's lock is free once that is decided. */
export async function undoReservation(
  host: Pick<HostContext, "db" | "states" | "backend" | "lanes" | "settings" | "now" | "logger" | "stopping">,
  engine: ProvisionedIncarnation,
): Promise<void> {
  await retryUntilStopped(host, "undo of a reservation", async () => {
    await host.db.transaction().execute((trx) => lockPolicy(trx, engine.product_id));
    await undoProvision(host, engine);
  });
}

/**
 * Claims the row and removes what this provision created. An engine that has become `running` keeps its folder. Runs in
 * the engine's lane: a destroy that took the engine over has ended by then, perhaps before this provision created the
 * folder.
 */
function undoProvision(
  host: Pick<HostContext, "db" | "states" | "backend" | "lanes" | "settings" | "now">,
  engine: ProvisionedIncarnation,
): Promise<void> {
  const { id, incarnation } = engine;
  const reason = "the provision failed";
  return host.lanes.run(id, async () => {
    const claimed = await host.states.move({
      id,
      from: UNFINISHED,
      to: "destroying",
      incarnation,
      set: {
        desired_state: "destroyed",
        // The restored data of an earlier engine are kept again, also when another daemon finishes the undo.
        keep_data: await host.backend.storage.isRestored(engine),
        deadline_at: new Date(host.now() + UNDO_MS),
      },
      event: { reason },
    });
    const row = claimed ?? (await findSettledEngine(host.db, id));
    // An earlier attempt may have claimed the row and failed later.
    const isOurs = row?.state === "destroying" && row.incarnation === incarnation;
    if (row !== null && !isOurs) return;
    host.backend.sockets.release(id);
    await host.backend.storage.discard(engine);
    if (isOurs) await host.states.remove({ id, from: ["destroying"], incarnation, reason });
  });
}
