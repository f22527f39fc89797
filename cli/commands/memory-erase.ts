import type { MemoryErased } from "../../src/client/records.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { EngineClient } from "../../src/client/engine-client.ts";
import { OrchdError } from "../../src/client/orchd-error.ts";
import { withEngine } from "../connect-engine.ts";
import { CliFailure } from "../exit-codes.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { confirm, destructive } from "../confirm.ts";

interface TurnInFlight {
  readonly task_id: string;
  readonly state: string;
}

const CANCEL_DEADLINE_MS = 30_000;
const RETRY_MS = 100;
const MAX_SHOWN_TASKS = 10;

export const memoryEraseCommand: CommandMaker = (memory, settings) => {
  destructive(memory.command("erase <user>"))
    .description("Erase an engine's memory, conversations included; its files and its catalog stay")
    .option("--cancel-turns", "cancel turns in flight, also those that wait for an answer", false)
    .addHelpText("after", example("orchctl memory erase alice"))
    .action(async (user: string, { yes, cancelTurns }: { yes: boolean; cancelTurns: boolean }, command) => {
      const session = sessionOf(command, settings);
      const context = { user, product: await session.client.product(), url: session.settings.url };
      await confirm(`Erase the memory of the engine of ${safe(user)}?`, { yes, context });
      const result = await withEngine(
        session,
        user,
        (engine) => eraseMemory(engine, { user, cancelTurns }),
        `erasing the memory of ${user}`,
      );
      const rows = Object.values(result.erased).reduce((sum, count) => sum + count, 0);
      session.print.document(
        result,
        () => `the memory of the engine of ${safe(user)} is erased (${rows} rows and files)`,
      );
    });
};

/** Erases an engine's memory. The engine refuses while turns run; they are listed, or cancelled with an option. */
async function eraseMemory(
  engine: EngineClient,
  { user, cancelTurns }: { readonly user: string; readonly cancelTurns: boolean },
): Promise<MemoryErased> {
  const end = Date.now() + CANCEL_DEADLINE_MS;
  for (;;) {
    try {
      return await engine.eraseMemory();
    } catch (error) {
      const turns = turnsInFlight(error);
      if (turns === null) throw error;
      if (!cancelTurns || Date.now() > end) throw busyFailure(turns, { user, cancelTurns });
      for (const { task_id: taskId } of turns) await engine.cancel(taskId);
      await sleep(RETRY_MS);
    }
  }
}

function turnsInFlight(error: unknown): readonly TurnInFlight[] | null {
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

function busyFailure(
  turns: readonly TurnInFlight[],
  { user, cancelTurns }: { readonly user: string; readonly cancelTurns: boolean },
): CliFailure {
  const shown = turns
    .slice(0, MAX_SHOWN_TASKS)
    .map(({ task_id: id, state }) => `${safe(id)} (${STATES[state] ?? state})`);
  const rest = turns.length > MAX_SHOWN_TASKS ? ` and ${turns.length - MAX_SHOWN_TASKS} more` : "";
  const message = `nothing was erased: turns are in flight in task${turns.length === 1 ? "" : "s"} ${shown.join(", ")}${rest} (TASK_BUSY)`;
  const advice = cancelTurns
    ? "the cancelled turns have not ended yet, or new ones have started; retry"
    : `orchctl memory erase ${safe(user)} --cancel-turns cancels them first`;
  return new CliFailure("conflict", message, "TASK_BUSY", advice);
}

const STATES: Readonly<Record<string, string>> = { waiting_for_human: "waits for an answer" };
