import type { EngineEventData } from "./record-types.ts";
import type { PendingRequest } from "./records.ts";
import { OrchdError } from "./orchd-error.ts";

export type HumanRequest = EngineEventData["hitl_request"];

/**
 * Returns a person's answer, or undefined to leave the request open for another client. The signal is aborted when no
 * answer is needed any more: another client answered, or the reader left the turn.
 */
export type OnHuman = (
  request: HumanRequest,
  context: { readonly signal: AbortSignal },
) => string | undefined | Promise<string | undefined>;

interface Parts {
  readonly onHuman: OnHuman | undefined;
  readonly pending: () => Promise<readonly PendingRequest[]>;
  readonly respond: (requestId: string, answer: string) => Promise<void>;
  /** Called when `onHuman` or the response fails. */
  readonly fail: (error: unknown) => void;
}

/** Answers the requests of one turn while its reader continues to read. */
export class HumanResponder {
  readonly #parts: Parts;
  readonly #asked = new Map<string, AbortController>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** `replayed`: the request may have been answered already, so it is asked only if it is still pending. */
  ask(request: HumanRequest, { replayed }: { readonly replayed: boolean }): void {
    const { onHuman, pending, respond, fail } = this.#parts;
    if (onHuman === undefined || this.#asked.has(request.request_id)) return;
    const answered = new AbortController();
    this.#asked.set(request.request_id, answered);
    const respondTo = async () => {
      if (replayed && !(await pending()).some(({ request_id: id }) => id === request.request_id)) return;
      if (answered.signal.aborted) return;
      const answer = await onHuman(request, { signal: answered.signal });
      if (answer !== undefined && !answered.signal.aborted) await respond(request.request_id, answer);
    };
    respondTo().catch((error: unknown) => {
      // Another client answered first, or the turn ended: its events report it.
      if (!answered.signal.aborted && !isAnswered(error)) fail(error);
    });
  }

  resolved(requestId: string): void {
    this.#asked.get(requestId)?.abort();
  }

  close(): void {
    for (const answered of this.#asked.values()) answered.abort();
  }
}

const isAnswered = (error: unknown): boolean => error instanceof OrchdError && error.code === "HITL_ALREADY_ANSWERED";
