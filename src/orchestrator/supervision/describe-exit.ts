import { CANNOT_START, ENDS, exitCause } from "../../contract/engine-exit.ts";
import type { EngineExit } from "../fleet/engine-backend.ts";

/** As in "exited with code 1" or "exited on SIGKILL". */
export function describeExit({ code, signal }: EngineExit): string {
  return signal !== null ? `on ${signal}` : code !== null ? `with code ${code}` : "unobserved";
}

/** The cause of a deliberate exit: the engine's last log lines, else the meaning of its exit code. Null for a crash. */
export function exitReason({ code }: EngineExit, log: readonly string[]): string | null {
  const row = exitCause(code);
  return row === null ? null : (loggedCause(log) ?? row.cause);
}

/** The log line with the cause and the indented lines after it. */
function loggedCause(log: readonly string[]): string | null {
  const start = log.findLastIndex((line) => line.startsWith(CANNOT_START) || line.startsWith(ENDS));
  const [first, ...rest] = start === -1 ? [] : log.slice(start);
  if (first === undefined) return null;
  const end = rest.findIndex((line) => !/^\s/.test(line));
  const details = (end === -1 ? rest : rest.slice(0, end)).map((line) => line.trim());
  return [first.slice(first.indexOf(":") + 1).trim(), ...details].filter((part) => part !== "").join("; ");
}
