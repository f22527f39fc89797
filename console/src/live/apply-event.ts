import type { EngineRecord, EventRecord } from "@orchd/client";

type Changes = Partial<{ -readonly [Field in keyof EngineRecord]: EngineRecord[Field] }>;

/** Applies an event to its engine's record. Fields that no event carries are read with the next list. */
export function applyEvent(
  engine: EngineRecord,
  { type, time, incarnation, to, reason, data }: EventRecord,
): EngineRecord {
  if (type === "engine.plan_changed") return { ...engine, plan: typeof data["to"] === "string" ? data["to"] : null };
  if (to === null) return engine;
  const changes: Changes = { state: to, running: to === "running" || to === "unhealthy" };
  if (incarnation !== null) changes.incarnation = incarnation;
  // Without a process.
  if (!changes.running && to !== "stopping") Object.assign(changes, { usage: null, catalog: null });
  changes.sleep = to === "sleeping" ? { since: time, reason: sleepReason(reason) } : null;
  if (type === "engine.running") changes.started_at = time;
  if (type === "engine.stopped") changes.stopped_at = time;
  if (type === "engine.crashed" || type === "engine.gave_up") {
    changes.last_error = lastError(time, reason, data);
    const next_at = typeof data["next_at"] === "string" ? data["next_at"] : null;
    const count = engine.restarts.count + (type === "engine.crashed" ? 1 : 0);
    changes.restarts = { ...engine.restarts, count, next_at };
  }
  return { ...engine, ...changes };
}

const sleepReason = (reason: string | null): NonNullable<EngineRecord["sleep"]>["reason"] =>
  reason === "request" || reason === "capacity" ? reason : "idle";

function lastError(time: string, reason: string | null, data: EventRecord["data"]): EngineRecord["last_error"] {
  const { phase, exit_code, signal, oom, log_tail } = data;
  return {
    phase: phase === "boot" || phase === "stop" ? phase : "run",
    reason: reason ?? "",
    exit_code: typeof exit_code === "number" ? exit_code : null,
    signal: typeof signal === "string" ? signal : null,
    oom: oom === true,
    log_tail: Array.isArray(log_tail) ? log_tail.filter((line) => typeof line === "string") : [],
    at: time,
  };
}
