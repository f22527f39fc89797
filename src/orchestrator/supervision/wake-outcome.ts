import type { WakeReason } from "../../contract/sleep.ts";
import type { ApiError } from "../api-error.ts";
import type { EngineRow } from "../store/tables.ts";

/** Wakes an engine. Never throws: waiting calls are answered in any case. */
export type Wake = (engineId: string, reason: WakeReason) => void;

export type WakeOutcome =
  | { readonly kind: "awake"; readonly engine: EngineRow }
  | { readonly kind: "failed"; readonly error: ApiError }
  /** It was not asleep, or another call changed it. */
  | { readonly kind: "not_asleep" };
