import type { RetryOptions } from "./http-call.ts";
import type { ClientLimits } from "./limits.ts";
import { OrchdError } from "./orchd-error.ts";
import { sortOf } from "./retry-rule.ts";
import { pause } from "./waiting.ts";

/** A connection that lived so long was a good one, even if nothing but heartbeats came. */
const GOOD_MS = 10_000;

export interface Resuming<T> extends Pick<RetryOptions, "onRetry"> {
  /** Opens the stream for the first time; what it throws is final. */
  readonly open: () => Promise<AsyncIterable<T>>;
  /** Opens it again, behind what `take` has noted. */
  readonly reopen: () => Promise<AsyncIterable<T>>;
  /** Notes how far the reader has come. What was `seen` is left out; `passing` is what brings it no further. */
  readonly take: (item: T) => "new" | "passing" | "seen";
  /** Whether nothing comes behind it. */
  readonly isLast: (item: T) => boolean;
  readonly limits: ClientLimits;
  readonly signal: AbortSignal;
}

/** A stream that outlives its connections: each item once, until the last one. */
export async function* resuming<T>(parts: Resuming<T>): AsyncGenerator<T> {
  const { open, reopen, take, isLast, limits, signal, onRetry } = parts;
  let items = await open();
  for (let lost = 0; ;) {
    const since = Date.now();
    let reason: OrchdError;
    try {
      for await (const item of items) {
        const sort = take(item);
        if (sort === "seen") continue;
        if (sort === "new") lost = 0;
        yield item;
        if (isLast(item)) return;
      }
      reason = new OrchdError({ code: "CONNECTION_LOST", message: "the stream ended before its last event" });
    } catch (error) {
      reason = passing(error, signal);
    }
    if (Date.now() - since > GOOD_MS) lost = 0;
    ({ items, lost } = await again(reason, lost));
  }

  async function again(reason: OrchdError, lost: number): Promise<{ items: AsyncIterable<T>; lost: number }> {
    for (let last = reason; ; lost++) {
      const waitMs = limits.reconnectMs[lost];
      const askedMs = (last.retryAfterS ?? 0) * 1000;
      if (waitMs === undefined || askedMs > limits.longestWaitMs) throw givenUp(last);
      const jitteredMs = Math.max(waitMs * (0.75 + Math.random() / 2), askedMs);
      onRetry?.({ kind: "stream", error: last, tries: lost + 1, waitMs: jitteredMs });
      await pause(jitteredMs, signal);
      try {
        return { items: await reopen(), lost: lost + 1 };
      } catch (error) {
        last = passing(error, signal);
      }
    }
  }
}

/** The error, if another connection may mend it; otherwise it is thrown. */
function passing(error: unknown, signal: AbortSignal): OrchdError {
  signal.throwIfAborted();
  if (!(error instanceof OrchdError) || sortOf(error) === "never") throw error;
  return error;
}

const givenUp = (cause: OrchdError): OrchdError =>
  new OrchdError({ code: "CONNECTION_LOST", message: `the stream is lost: ${cause.message}`, cause });
