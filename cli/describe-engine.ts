import type { EngineRecord } from "../src/contract/orchestrator-records.ts";
import { fields, safe } from "./output.ts";

/** An engine's whole record for a person. */
export function describeEngine(engine: EngineRecord): string {
  const { api_key: key, health, restarts, last_error: error } = engine;
  const lines = fields([
    ["user", safe(engine.user_id)],
    ["id", engine.id],
    ["state", `${engine.state} (wanted: ${engine.desired_state})`],
    ["url", engine.url],
    ["pid", engine.pid === null ? null : String(engine.pid)],
    ["version", engine.version],
    ["incarnation", engine.incarnation],
    ["key", `${key.prefix}…${key.last4} since ${key.created_at}`],
    ["previous key", key.previous_expires_at === null ? null : `until ${key.previous_expires_at}`],
    [
      "health",
      `${health.status}, last ok ${health.last_ok_at ?? "never"}, ${health.consecutive_failures} failures in a row`,
    ],
    ["restarts", describeRestarts(restarts)],
    ["stopped because", engine.stop_reason === null ? null : safe(engine.stop_reason)],
    ["last active", engine.last_active_at],
    ["created", engine.created_at],
    ["started", engine.started_at],
    ["stopped", engine.stopped_at],
    ["metadata", Object.keys(engine.metadata).length === 0 ? null : safe(engine.metadata)],
  ]);
  if (error === null) return lines;
  const how = [
    error.exit_code === null ? "" : `exit code ${error.exit_code}`,
    error.signal === null ? "" : `signal ${error.signal}`,
    error.oom ? "out of memory" : "",
  ].filter(Boolean);
  const tail = error.log_tail.map((line) => `    ${safe(line)}`);
  return [
    lines,
    "",
    `last error, at ${error.at}, ${error.phase}:`,
    `  ${safe(error.reason)}${how.length > 0 ? ` (${how.join(", ")})` : ""}`,
    ...(tail.length > 0 ? ["  its log ended:", ...tail] : []),
  ].join("\n");
}

function describeRestarts({ count, window_started_at: since, next_at: next }: EngineRecord["restarts"]): string {
  return [`${count}${since === null ? "" : ` since ${since}`}`, ...(next === null ? [] : [`next at ${next}`])].join(
    ", ",
  );
}
