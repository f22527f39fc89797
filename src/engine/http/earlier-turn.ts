import { EngineError } from "../engine-error.ts";

const KEPT_MS = 24 * 3600 * 1000;

/** The turns that clients' `Idempotency-Key`s started. */
export interface StartedTurns {
  find(key: string, notBefore: number): { readonly bodyHash: string; readonly turnId: string } | null;
  insert(key: string, call: { readonly bodyHash: string; readonly turnId: string }, createdAt: number): void;
}

/** The turn that an earlier call with the same key started, whatever its body. */
export const earlierTurnOf = (idempotency: StartedTurns, key: string | undefined): string | null =>
  key === undefined ? null : (idempotency.find(key, Date.now() - KEPT_MS)?.turnId ?? null);

/** The turn that an earlier call with the same key and body started. */
export function findEarlier(idempotency: StartedTurns, key: string | undefined, hash: string): string | null {
  if (key === undefined) return null;
  if (key.length < 1 || key.length > 255)
    throw new EngineError("INVALID_REQUEST", "Idempotency-Key: expected 1 to 255 characters");
  const earlier = idempotency.find(key, Date.now() - KEPT_MS);
  if (earlier === null) return null;
  if (earlier.bodyHash === hash) return earlier.turnId;
  throw new EngineError("IDEMPOTENCY_CONFLICT", "the Idempotency-Key was used with another body");
}
