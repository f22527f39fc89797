import type { RetryOptions } from "./http-call.ts";
import type { ClientLimits } from "./limits.ts";
import { OrchdError } from "./orchd-error.ts";
import { retryClassOf } from "./retry-rule.ts";
import { pause } from "./timeouts.ts";

/** A connection that lasted this long resets the waits, even if it brought only heartbeats. */
const STABLE_MS = 10_000;

interface ResumableStream<T> extends Pick<RetryOptions, "onRetry"> {
  /** Opens the stream for the first time. Its errors are final. */
  readonly open: () => Promise<AsyncIterable<T>>;
  /** Opens it again, after the position that `advance` has stored. */
  readonly reopen: () => Promise<AsyncIterable<T>>;
  /** Stores the reader's position. A `duplicate` is dropped; a `transient` item has no position. */
  readonly advance: (item: T) => "new" | "transient" | "duplicate";
  /** Whether the stream ends with this item. */
  readonly isLast: (item: T) => boolean;
  /** Whether a stream that ends, or whose connection is lost, is not to be reopened. Default: it is reopened. */
  readonly isOver?: () => boolean;
  readonly limits: ClientLimits;
  readonly signal: AbortSignal;
}

/** A stream that reconnects: each item once, until the last one. */
export async function* resumableStream<T>(parts: ResumableStream<T>): AsyncGenerator<T> {
  const { open, reopen, advance, isLast, isOver = () => false, limits, signal, onRetry } = parts;
  let items = await open();
  for (let lost = 0; ;) {
    const since = performance.now();
    let reason: OrchdError;
    try {
      for await (const item of items) {
        const kind = advance(item);
        if (kind === "duplicate") continue;
        if (kind === "new") lost = 0;
        yield item;
        if (isLast(item)) return;
      }
      reason = new OrchdError({ code: "CONNECTION_LOST", message: "the stream ended before its last event" });
    } catch (error) {
      reason = assertRetryable(error, signal);
    }
    if (isOver()) return;
    if (performance.now() - since > STABLE_MS) lost = 0;
    ({ items, lost } = await reconnect(reason, lost));
  }

  async function reconnect(reason: OrchdError, lost: number): Promise<{ items: AsyncIterable<T>; lost: number }> {
    for (let last = reason; ; lost++) {
      const waitMs = limits.reconnectMs[lost];
      const askedMs = (last.retryAfterS ?? 0) * 1000;
      if (waitMs === undefined || askedMs > limits.longestWaitMs) throw connectionLost(last);
      const jitteredMs = Math.max(waitMs * (0.75 + Math.random() / 2), askedMs);
      onRetry?.({ kind: "stream", error: last, tries: lost + 1, waitMs: jitteredMs });
      await pause(jitteredMs, signal);
      try {
        return { items: await reopen(), lost: lost + 1 };
      } catch (error) {
        last = assertRetryable(error, signal);
      }
    }
  }
}

/** The error if another connection may help; otherwise it is thrown. */
function assertRetryable(error: unknown, signal: AbortSignal): OrchdError {
  signal.throwIfAborted();
  if (!(error instanceof OrchdError) || retryClassOf(error) === "never") throw error;
  return error;
}

const connectionLost = (cause: OrchdError): OrchdError =>
  new OrchdError({ code: "CONNECTION_LOST", message: `the stream is lost: ${cause.message}`, cause });
