import type { EngineEventData } from "../contract/engine-events.ts";
import type { PendingRequest } from "../contract/engine-records.ts";
import { OrchdError } from "./orchd-error.ts";

export type HumanRequest = EngineEventData["hitl_request"];

/**
 * Finds a person's answer. Undefined leaves the request open, to be answered from elsewhere. The signal tells that no
 * answer is needed any more: it was given elsewhere, or the turn's reader has left.
 */
export type OnHuman = (
  request: HumanRequest,
  context: { readonly signal: AbortSignal },
) => string | undefined | Promise<string | undefined>;

interface Parts {
  readonly onHuman: OnHuman | undefined;
  readonly pending: () => Promise<readonly PendingRequest[]>;
  readonly respond: (requestId: string, answer: string) => Promise<void>;
  /** Told of what keeps an answer from being found or given. */
  readonly fail: (error: unknown) => void;
}

/** Asks for one turn's reader, beside the reading: heartbeats, and answers from elsewhere, go on being read. */
export class HumanResponder {
  readonly #parts: Parts;
  readonly #asked = new Map<string, AbortController>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** `replayed`: the request may have been answered long ago, and nobody is to be bothered with it again. */
  ask(request: HumanRequest, { replayed }: { readonly replayed: boolean }): void {
    const { onHuman, pending, respond, fail } = this.#parts;
    if (onHuman === undefined || this.#asked.has(request.request_id)) return;
    const noMore = new AbortController();
    this.#asked.set(request.request_id, noMore);
    const find = async () => {
      if (replayed && !(await pending()).some(({ request_id: id }) => id === request.request_id)) return;
      if (noMore.signal.aborted) return;
      const answer = await onHuman(request, { signal: noMore.signal });
      if (answer !== undefined && !noMore.signal.aborted) await respond(request.request_id, answer);
    };
    find().catch((error: unknown) => {
      // Somebody else was faster, or the turn was: the events tell.
      if (!noMore.signal.aborted && !isTooLate(error)) fail(error);
    });
  }

  resolved(requestId: string): void {
    this.#asked.get(requestId)?.abort();
  }

  close(): void {
    for (const noMore of this.#asked.values()) noMore.abort();
  }
}

const isTooLate = (error: unknown): boolean => error instanceof OrchdError && error.code === "HITL_ALREADY_ANSWERED";
