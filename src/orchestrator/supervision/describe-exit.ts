import { CANNOT_START, ENDS, exitCause } from "../../contract/engine-exit.ts";
import type { EngineExit } from "../fleet/engine-backend.ts";

export function describeExit({ code, signal }: EngineExit): string {
  return signal !== null ? `on ${signal}` : code !== null ? `with code ${code}` : "unobserved";
}

/** Why an engine ended by itself: its own last words, else what its exit code stands for. Null for a crash. */
export function exitReason({ code }: EngineExit, log: readonly string[]): string | null {
  const row = exitCause(code);
  return row === null ? null : (lastWords(log) ?? row.cause);
}

/** The line that says why the engine ended, with the indented lines behind it. */
function lastWords(log: readonly string[]): string | null {
  const begin = log.findLastIndex((line) => line.startsWith(CANNOT_START) || line.startsWith(ENDS));
  const [first, ...rest] = begin === -1 ? [] : log.slice(begin);
  if (first === undefined) return null;
  const end = rest.findIndex((line) => !/^\s/.test(line));
  const details = (end === -1 ? rest : rest.slice(0, end)).map((line) => line.trim());
  return [first.slice(first.indexOf(":") + 1).trim(), ...details].filter((part) => part !== "").join("; ");
}
