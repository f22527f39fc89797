import { ApiError } from "../api-error.ts";
import { roomless } from "../rules/admission.ts";
import { hostResources } from "./host-resources.ts";
import type { Orchestration } from "./orchestration.ts";

const RETRY_AFTER_S = 30;

/** Refuses a new engine while the host drains, or has no room: what runs already needs the rest. */
export async function assertRoom(o: Orchestration): Promise<void> {
  o.readiness.assertAdmits();
  const reason = roomless(await hostResources(o.settings.dataDir));
  if (reason !== null) throw new ApiError("CAPACITY_EXHAUSTED", reason, { retryAfterS: RETRY_AFTER_S });
}
