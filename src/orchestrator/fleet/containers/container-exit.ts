import { constants } from "node:os";
import type { EngineExit } from "../engine-backend.ts";

/** Exit codes above it are those of a signal. */
const SIGNALLED = 128;

/** How an engine exited, by the exit code of its container. */
export function containerExit({
  exitCode,
  oomKilled,
}: {
  readonly exitCode: number;
  readonly oomKilled: boolean;
}): EngineExit {
  const number = exitCode - SIGNALLED;
  const signal = Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? null;
  if (signal === null) return { code: exitCode, signal: null, oom: false };
  return { code: null, signal: signal as NodeJS.Signals, oom: oomKilled && signal === "SIGKILL" };
}
