import { ApiError } from "../api-error.ts";
import type { Survived } from "../fleet/engine-backend.ts";

/** An engine whose processes did not end by SIGKILL, or whose port another program has. Its row stays, so that no second process of the user starts. */
export class ProcessSurvived extends ApiError {
  constructor(engineId: string, { reason }: Survived) {
    super("BACKEND_ERROR", `engine ${engineId}: ${reason}`);
  }
}
