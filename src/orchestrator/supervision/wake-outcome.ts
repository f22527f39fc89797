import type { ApiError } from "../api-error.ts";
import type { EngineRow } from "../store/tables.ts";

export type WakeOutcome =
  | { readonly kind: "awake"; readonly engine: EngineRow }
  | { readonly kind: "failed"; readonly error: ApiError }
  /** It was not asleep, or another call changed it. */
  | { readonly kind: "not_asleep" };
