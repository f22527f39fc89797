import { randomBytes } from "node:crypto";
import type { ShownTurn } from "../../../contract/engine/turn.ts";
import type { EngineCalls } from "../engine-calls.ts";
import { lastTurn } from "../last-turn.ts";
import { plain } from "../turn-message.ts";
import { recentTurn } from "./match-task.ts";
import { storedLines } from "./stored-lines.ts";

export type AfterTurn =
  | { readonly kind: "named"; readonly taskId: string }
  /** An earlier try of this call started it. */
  | { readonly kind: "turn"; readonly turnId: string };

/** Where a conversation goes on after a turn: in its task, or in a fork when the task has gone on since. */
export async function afterTurn(
  calls: EngineCalls,
  turnId: string,
  { text, isRepeated, answers }: { readonly text: string; readonly isRepeated: boolean; readonly answers: boolean },
): Promise<AfterTurn> {
  const { task_id: taskId } = await calls.call<ShownTurn>("showTurn", { path: { turn_id: turnId } });
  const last = await lastTurn(calls, taskId);
  // What a turn waited for is answered where it was asked.
  if (last?.turn_id === turnId || answers) return { kind: "named", taskId };
  const lines = (await storedLines(calls, taskId)) ?? [];
  const at = lines.findLastIndex((line) => line.turnId === turnId);
  const [own, next] = [lines[at], lines[at + 1]];
  if (own === undefined)
    throw calls.error("NOT_FOUND", "previous_response_id: its turn is no longer in the conversation");
  if (next === undefined) return { kind: "named", taskId };
  if (isRepeated && plain(next.text) === plain(text) && (await recentTurn(calls, next.turnId)) !== null)
    return { kind: "turn", turnId: next.turnId };
  const fork = `openai-${randomBytes(12).toString("hex")}`;
  await calls.call("forkTask", { path: { task_id: taskId }, body: { after_message: own.messageId, task_id: fork } });
  return { kind: "named", taskId: fork };
}
