import { setTimeout as sleep } from "node:timers/promises";
import type { EngineClient } from "../src/client/engine-client.ts";
import { OrchdError } from "../src/client/orchd-error.ts";
import type { MemoryErased } from "../src/contract/memory-file.ts";
import { CliFailure } from "./exit-codes.ts";
import { safe } from "./output.ts";

interface TurnInFlight {
  readonly task_id: string;
  readonly state: string;
}

const CANCEL_DEADLINE_MS = 30_000;
const LOOK_AGAIN_MS = 100;
const SHOWN_TASKS = 10;

/** Erases what an engine remembers. Turns in flight are in the way: they are named, or cancelled if that is wished. */
export async function eraseMemory(
  engine: EngineClient,
  { user, cancelTurns }: { readonly user: string; readonly cancelTurns: boolean },
): Promise<MemoryErased> {
  const end = Date.now() + CANCEL_DEADLINE_MS;
  for (;;) {
    try {
      return await engine.eraseMemory();
    } catch (error) {
      const turns = turnsInTheWay(error);
      if (turns === null) throw error;
      if (!cancelTurns || Date.now() > end) throw inTheWay(turns, { user, cancelTurns });
      for (const { task_id: taskId } of turns) await engine.cancel(taskId);
      await sleep(LOOK_AGAIN_MS);
    }
  }
}

function turnsInTheWay(error: unknown): readonly TurnInFlight[] | null {
  if (!(error instanceof OrchdError) || error.code !== "TASK_BUSY") return null;
  const { turns } = error.details;
  return Array.isArray(turns) && turns.every(isTurn) ? turns : null;
}

const isTurn = (value: unknown): value is TurnInFlight =>
  typeof value === "object" &&
  value !== null &&
  "task_id" in value &&
  typeof value.task_id === "string" &&
  "state" in value &&
  typeof value.state === "string";

function inTheWay(
  turns: readonly TurnInFlight[],
  { user, cancelTurns }: { readonly user: string; readonly cancelTurns: boolean },
): CliFailure {
  const shown = turns.slice(0, SHOWN_TASKS).map(({ task_id: id, state }) => `${safe(id)} (${STATES[state] ?? state})`);
  const rest = turns.length > SHOWN_TASKS ? ` and ${turns.length - SHOWN_TASKS} more` : "";
  const message = `nothing is erased while turns are in flight, of the task${turns.length === 1 ? "" : "s"} ${shown.join(", ")}${rest} (TASK_BUSY)`;
  const advice = cancelTurns
    ? "they were cancelled, but have not ended yet, or new ones have begun; try again"
    : `orchctl memory erase ${safe(user)} --cancel-turns cancels them first`;
  return new CliFailure("conflict", message, "TASK_BUSY", advice);
}

const STATES: Readonly<Record<string, string>> = { waiting_for_human: "waits for an answer" };
