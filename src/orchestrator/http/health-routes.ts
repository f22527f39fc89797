import { VERSION } from "../../shared/version.ts";
import { ApiError } from "../api-error.ts";
import type { Readiness } from "../status/readiness.ts";
import type { Handler } from "./call.ts";

export interface HealthParts {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

export function healthRoutes(readiness: Readiness, { startedAt }: HealthParts) {
  return {
    health: () => ({
      status: 200,
      body: { status: "ok", version: VERSION, uptime_s: Math.floor((Date.now() - startedAt) / 1000) },
    }),
    ready: async () => {
      const reason = await readiness.notReadyReason();
      if (reason !== null) throw new ApiError("SERVICE_UNAVAILABLE", reason, { retryAfterS: 1 });
      return { status: 200, body: { status: "ready", version: VERSION } };
    },
  } satisfies Record<string, Handler>;
}
