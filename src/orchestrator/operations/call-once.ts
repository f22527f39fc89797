import { randomUUID } from "node:crypto";
import { delay } from "../../shared/clock.ts";
import { ApiError } from "../api-error.ts";
import {
  ADMIN_SCOPE,
  type KeyClaim,
  type StoredAnswer,
  claimKey,
  storeAnswer,
  releaseKey,
} from "../store/idempotency-keys.ts";
import type { HostContext } from "../host-context.ts";

const KEPT_S = 24 * 3600;
/** An answer waits this long for its copy to be stored; then storing goes on behind it. */
const ANSWER_WAIT_MS = 2000;
const STORE_FOR_MS = 600_000;

export type CallOnceParts = Pick<HostContext, "db" | "settings" | "logger" | "stopping" | "answerLimit">;

export interface KeyedCall {
  /** Whose key it is: two products never meet. Null for a call with the admin key. */
  readonly productId: string | null;
  readonly key: string;
  /** What tells one request from another: its hash. */
  readonly fingerprint: string;
}

/** What a call gave, and what of it may be stored; null when it changed nothing and may be made again. */
export interface Outcome<T> {
  readonly result: T;
  readonly keep: StoredAnswer | null;
}

export type Once<T> =
  | { readonly kind: "done"; readonly result: T }
  | { readonly kind: "replayed"; readonly answer: StoredAnswer };

/**
 * Makes a call once for all that carry its key: the first one makes it, later ones get the stored answer. One that
 * failed changed nothing, so its key is given back.
 */
export async function callOnce<T>(
  host: CallOnceParts,
  { productId, key, fingerprint }: KeyedCall,
  work: () => Promise<Outcome<T>>,
): Promise<Once<T>> {
  const claim: KeyClaim = { scope: productId ?? ADMIN_SCOPE, key, claim: randomUUID() };
  const giveBack = () => settle(host, "give an idempotency key back", () => releaseKey(host.db, claim));
  const hostId = host.settings.portRange.hostId;
  const holder = await claimKey(host.db, { ...claim, fingerprint, hostId, keptS: KEPT_S }).catch((error: unknown) => {
    // A connection that was lost tells nothing of the statement: the key may have been taken.
    void giveBack();
    throw error;
  });
  if (holder !== "claimed") {
    if (holder.fingerprint !== fingerprint) {
      throw new ApiError("IDEMPOTENCY_CONFLICT", "the Idempotency-Key was used with another request");
    }
    if (holder.answer !== null) return { kind: "replayed", answer: holder.answer };
    throw new ApiError("OPERATION_IN_PROGRESS", "the first call with this Idempotency-Key has not ended", {
      retryAfterS: 1,
    });
  }
  try {
    const { result, keep } = await work();
    if (keep === null) await giveBack();
    else await settle(host, "keep an answer", () => keepWithinLimit(host, claim, keep));
    return { kind: "done", result };
  } catch (error) {
    await giveBack();
    throw error;
  }
}

async function keepWithinLimit(host: CallOnceParts, claim: KeyClaim, answer: StoredAnswer): Promise<void> {
  await storeAnswer(host.db, claim, answer);
  host.answerLimit.recordStored(host.db, claim.scope).catch((error: unknown) => {
    // Maintenance does it again.
    host.logger.warn({ err: error }, "failed to remove the oldest stored answers");
  });
}

/** Never fails, and waits a little at most: what the call did is done, whether the database takes note or not. */
async function settle(host: CallOnceParts, what: string, write: () => Promise<void>): Promise<void> {
  const written = write().catch((error: unknown) => {
    host.logger.warn({ err: error, what }, "an idempotency key waits for the database");
    void keepTrying(host, what, write);
  });
  const waited = new AbortController();
  await Promise.race([written, delay(ANSWER_WAIT_MS, waited.signal)]);
  waited.abort();
}

/** Ever more seldom: in an outage every keyed call may be at it. What is not stored in the end expires. */
async function keepTrying(
  { logger, stopping }: CallOnceParts,
  what: string,
  write: () => Promise<void>,
): Promise<void> {
  const end = Date.now() + STORE_FOR_MS;
  for (let waitMs = 1000; Date.now() < end && (await delay(waitMs, stopping)); waitMs = Math.min(waitMs * 2, 30_000)) {
    try {
      return await write();
    } catch (error) {
      logger.debug({ err: error, what }, "an idempotency key still waits for the database");
    }
  }
  logger.warn({ what }, "an idempotency key was not settled; it expires");
}
