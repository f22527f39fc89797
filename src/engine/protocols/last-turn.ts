import type { TurnPage, TurnRecord } from "../../contract/engine/turn.ts";
import type { EngineCalls } from "./engine-calls.ts";

/** The last turn of a task. Null without one. */
export async function lastTurn(calls: EngineCalls, taskId: string): Promise<TurnRecord | null> {
  const { items } = await calls.call<TurnPage>("listTurns", { query: { task_id: taskId, limit: "1" } });
  return items[0] ?? null;
}

export const isInFlight = ({ state }: TurnRecord): boolean => state === "running" || state === "waiting_for_human";
