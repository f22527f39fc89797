import { ApiError } from "../api-error.ts";
import type { EngineExit } from "../fleet/engine-backend.ts";
import type { BootVerdict } from "../engine-calls/health-probe.ts";
import type { EngineRow } from "../store/tables.ts";
import { describeExit, buildLastError } from "./last-error.ts";
import type { HostContext } from "../host-context.ts";
import type { FailedBoot } from "./supervisor.ts";

interface BootFailure {
  readonly code?: "BACKEND_ERROR" | "BOOT_TIMEOUT";
  readonly reason: string;
  readonly exit?: EngineExit;
  readonly cause?: unknown;
}

/** Describes why a process did not become healthy. */
export function describeFailure(
  host: Pick<HostContext, "settings">,
  verdict: Exclude<BootVerdict, { kind: "healthy" }>,
): BootFailure {
  switch (verdict.kind) {
    case "exited": {
      const { exit } = verdict;
      return { reason: `the engine's process exited ${describeExit(exit)} before it was healthy`, exit };
    }
    case "timed_out":
      return {
        code: "BOOT_TIMEOUT",
        reason: `the engine was not healthy within ${host.settings.bootTimeoutMs / 1000} s (${verdict.lastProblem})`,
      };
    case "wrong_identity":
      return { reason: "another program answers on the engine's port" };
    case "aborted":
      return { reason: "the boot was cancelled" };
    default:
      return verdict satisfies never;
  }
}

/** Logs a failed boot and builds its result: the `last_error` of the record and the error of the call. */
export async function failedBoot(
  host: Pick<HostContext, "backend" | "now" | "logger">,
  engine: EngineRow,
  { code = "BACKEND_ERROR", reason, exit, cause }: BootFailure,
): Promise<FailedBoot> {
  const { id, incarnation } = engine;
  const lastError = await buildLastError(host, engine, { phase: "boot", reason, ...(exit && { exit }) });
  const fields = { engine_id: id, incarnation, last_error: lastError, ...(cause !== undefined && { err: cause }) };
  host.logger.warn(fields, "failed to boot an engine");
  return {
    kind: "failed",
    incarnation,
    lastError,
    error: new ApiError(code, `engine ${id}: ${lastError.reason}`, { cause }),
  };
}
