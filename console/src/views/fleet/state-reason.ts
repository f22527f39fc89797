import type { EngineRecord } from "@orchd/client";

const KEPT_BY: Readonly<Record<string, string>> = {
  turn: "a turn",
  inbox: "a message that waits",
  stream: "an open stream",
  request: "a call",
  learning: "learning from past turns",
  tool_call: "a tool call",
  recent_work: "recent work",
};
const SLEEP: Readonly<Record<string, string>> = {
  idle: "no work",
  request: "put to sleep",
  capacity: "its place was needed",
};

/** Why an engine is in its state, in a few words; empty when there is nothing to say. */
export function stateReason(engine: EngineRecord): string {
  const { state, sleep, awake, last_error, stop_reason, health } = engine;
  if (waitsForPerson(engine)) return "waits for a person";
  if (state === "sleeping") return sleep === null ? "" : (SLEEP[sleep.reason] ?? sleep.reason);
  if (state === "unhealthy") return `missed ${health.consecutive_failures} health probes`;
  if (state === "failed" || state === "backoff" || state === "stop_failed") return last_error?.reason ?? "";
  if (state === "stopped") return stop_reason ?? "";
  if (state === "running" && awake !== null && awake.kept_by.length > 0)
    return `busy: ${awake.kept_by.map((reason) => KEPT_BY[reason] ?? reason).join(", ")}`;
  return "";
}

/**
 * Whether a turn of it waits for an answer. What keeps it awake is not looked at: it is known from a report that may be older
 * than the question, and another turn that works needs nobody.
 */
const waitsForPerson = ({ state, open_questions: open }: EngineRecord): boolean =>
  open > 0 && (state === "sleeping" || state === "running");
