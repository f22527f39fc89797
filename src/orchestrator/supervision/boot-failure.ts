import type { LastError } from "../../contract/orchestrator-api.ts";
import { ApiError } from "../api-error.ts";
import type { EngineExit } from "../fleet/engine-backend.ts";
import type { BootVerdict } from "../fleet/health-probe.ts";
import type { EngineRow } from "../store/tables.ts";
import { describeExit } from "./describe-exit.ts";
import { buildLastError } from "./last-error.ts";
import type { HostContext } from "../host-context.ts";

export interface FailedBoot {
  readonly kind: "failed";
  readonly lastError: LastError;
  readonly error: ApiError;
}

export interface BootFailure {
  readonly code?: "BACKEND_ERROR" | "BOOT_TIMEOUT";
  readonly reason: string;
  readonly exit?: EngineExit;
  readonly cause?: unknown;
}

export function describe(
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
      return { reason: "the boot was called off" };
    default:
      return verdict satisfies never;
  }
}

export async function failed(
  host: Pick<HostContext, "settings" | "now" | "logger">,
  engine: EngineRow,
  { code = "BACKEND_ERROR", reason, exit, cause }: BootFailure,
): Promise<FailedBoot> {
  const lastError = await buildLastError(host, engine.id, { phase: "boot", reason, ...(exit && { exit }) });
  host.logger.warn(
    {
      engine_id: engine.id,
      incarnation: engine.incarnation,
      last_error: lastError,
      ...(cause !== undefined && { err: cause }),
    },
    "engine did not come up",
  );
  const message = `engine ${engine.id}: ${lastError.reason}`;
  return { kind: "failed", lastError, error: new ApiError(code, message, { cause }) };
}
