import { randomUUID } from "node:crypto";
import { inBackground } from "../../shared/background.ts";
import { Deadline } from "../../shared/deadline.ts";
import { delay } from "../../shared/clock.ts";
import { ApiError } from "../api-error.ts";
import {
  ADMIN_SCOPE,
  type KeyClaim,
  type StoredResponse,
  claimKey,
  storeResponse,
  releaseKey,
} from "../store/idempotency-keys.ts";
import type { HostContext } from "../host-context.ts";

const RETENTION_S = 24 * 3600;
/** How long a response waits to be stored. Then the write continues in the background. */
const STORE_WAIT_MS = 2000;
const RETRY_FOR_MS = 600_000;

type CallOnceParts = Pick<HostContext, "db" | "settings" | "logger" | "stopping" | "idempotencyLimit">;

interface KeyedCall {
  /** The scope of the key. Null for a call with the admin key. */
  readonly productId: string | null;
  readonly key: string;
  /** The hash of the request. The same key with another request is a conflict. */
  readonly fingerprint: string;
}

/** The result of a call and the response to store. `keep` is null when the call changed nothing and may be repeated. */
export interface Outcome<T> {
  readonly result: T;
  readonly keep: StoredResponse | null;
}

type Once<T> =
  | { readonly kind: "done"; readonly result: T }
  | { readonly kind: "replayed"; readonly answer: StoredResponse };

/**
 * Runs a call once per idempotency key: the first request runs it, repeated ones get the stored response. A call that
 * throws changed nothing, so its key is released.
 * Tested in test/end-to-end/idempotency.test.ts.
 */
export async function callOnce<T>(
  host: CallOnceParts,
  { productId, key, fingerprint }: KeyedCall,
  work: () => Promise<Outcome<T>>,
): Promise<Once<T>> {
  const claim: KeyClaim = { scope: productId ?? ADMIN_SCOPE, key, claim: randomUUID() };
  const release = () => settle(host, "release of an idempotency key", () => releaseKey(host.db, claim));
  const hostId = host.settings.portRange.hostId;
  const holder = await claimKey(host.db, { ...claim, fingerprint, hostId, keptS: RETENTION_S }).catch(
    (error: unknown) => {
      // The claim may have been committed although the connection was lost.
      inBackground("release of an idempotency key", release());
      throw error;
    },
  );
  if (holder !== "claimed") {
    if (holder.fingerprint !== fingerprint) {
      throw new ApiError("IDEMPOTENCY_CONFLICT", "the Idempotency-Key was used with another request");
    }
    if (holder.answer !== null) return { kind: "replayed", answer: holder.answer };
    throw new ApiError(
      "OPERATION_IN_PROGRESS",
      "the first call with this Idempotency-Key is still running; retry later",
      {
        retryAfterS: 1,
      },
    );
  }
  try {
    const { result, keep } = await work();
    if (keep === null) await release();
    else await settle(host, "storage of a response", () => storeWithinLimit(host, claim, keep));
    return { kind: "done", result };
  } catch (error) {
    await release();
    throw error;
  }
}

async function storeWithinLimit(host: CallOnceParts, claim: KeyClaim, answer: StoredResponse): Promise<void> {
  await storeResponse(host.db, claim, answer);
  host.idempotencyLimit.recordStored(host.db, claim.scope).catch((error: unknown) => {
    // Maintenance trims all scopes later.
    host.logger.warn({ err: error }, "failed to trim stored responses");
  });
}

/** Never rejects and waits briefly: the call has taken effect, whether or not the write succeeds. */
async function settle(host: CallOnceParts, what: string, write: () => Promise<void>): Promise<void> {
  const written = write().catch((error: unknown) => {
    host.logger.warn({ err: error, what }, "failed to write an idempotency key, retrying");
    inBackground(what, retryWrite(host, what, write));
  });
  const waited = new AbortController();
  await Promise.race([written, delay(STORE_WAIT_MS, waited.signal)]);
  waited.abort();
}

/** With exponential back-off, since in an outage every keyed call retries. A key that is never written expires. */
async function retryWrite(
  { logger, stopping }: CallOnceParts,
  what: string,
  write: () => Promise<void>,
): Promise<void> {
  const end = new Deadline(RETRY_FOR_MS);
  for (let waitMs = 1000; !end.isOver && (await delay(waitMs, stopping)); waitMs = Math.min(waitMs * 2, 30_000)) {
    try {
      return await write();
    } catch (error) {
      logger.debug({ err: error, what }, "failed to write an idempotency key again");
    }
  }
  logger.warn({ what }, "gave up writing an idempotency key, it will expire");
}
