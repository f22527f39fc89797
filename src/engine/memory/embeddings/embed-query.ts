import { whenAborted } from "../../../shared/clock.ts";
import type { Logger } from "../../../shared/logger.ts";
import { Pauses } from "../../../shared/pauses.ts";
import type { NearestItems } from "./nearest-items.ts";
import { NOTHING_NEAR, type VectorSearch } from "../search/nearness.ts";
import { quantize } from "./quantize.ts";
import { type TextEmbedder, retryAfterMs } from "./text-embedder.ts";

/** A user waits for the search, which goes by words alone after this time. */
const QUERY_MS = 400;
/** What a question needs. A message may be long. */
const MAX_LENGTH = 2000;

/** Searches by vectors. After a failure it does not ask the endpoint for a while, so that no search waits for it in vain. */
export function vectorSearch({
  embedder,
  nearest,
  stopping,
  logger,
}: {
  readonly embedder: TextEmbedder;
  /** Null without vectors of the embedder's model: the endpoint is not asked then. */
  readonly nearest: () => NearestItems | null;
  readonly stopping: AbortSignal;
  readonly logger: Logger;
}): VectorSearch {
  const pauses = new Pauses();

  async function embed(text: string, signal: AbortSignal): Promise<readonly number[] | undefined> {
    try {
      const embedding = embedder.embed([text], signal);
      const [vector] = await Promise.race([embedding, whenAborted(signal).then(() => Promise.reject(signal.reason))]);
      pauses.succeeded();
      return vector;
    } catch (error) {
      // Only the deadline is the endpoint's fault.
      if (!signal.aborted || isTimeout(signal.reason)) pauses.failed(performance.now(), retryAfterMs(error));
      throw error;
    }
  }

  return async (text, limit, given) => {
    const items = nearest();
    if (items === null || !pauses.isOver(performance.now()) || stopping.aborted) return NOTHING_NEAR;
    const deadline = AbortSignal.timeout(QUERY_MS);
    const signal = AbortSignal.any([stopping, deadline, ...(given ? [given] : [])]);
    items.prepare();
    try {
      const vector = await embed(text.slice(0, MAX_LENGTH).toWellFormed(), signal);
      return vector === undefined ? NOTHING_NEAR : await items.nearest(quantize(vector), limit, signal);
    } catch (error) {
      logger.debug({ err: error }, "failed to embed a query; searching without vectors");
      return NOTHING_NEAR;
    }
  };
}

const isTimeout = (reason: unknown): boolean => reason instanceof Error && reason.name === "TimeoutError";
