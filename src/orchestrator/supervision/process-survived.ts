import { ApiError } from "../api-error.ts";
import type { Survived } from "../fleet/engine-backend.ts";

/**
 * The processes of an engine did not end by SIGKILL, or something still listens at its address. Its row stays, so that no
 * second process of the user starts.
 */
export class ProcessSurvived extends ApiError {
  constructor(engineId: string, { reason }: Survived) {
    super("BACKEND_ERROR", `engine ${engineId}: ${reason}`);
  }
}
