import { eventId } from "./event-ids.ts";
import { type Moment, type SessionEvent, idle, running } from "./session-event.ts";

interface Change {
  readonly moment: Moment;
  readonly seq: number;
}

export type ChangeKind = "opened" | "closed";

/**
 * What a turn waits for. Several that open in a row are one status, and several that close: calls of one answer of the
 * model are open together. The id of a status follows from its last change.
 */
export class OpenActions {
  readonly #emit: (event: SessionEvent) => void;
  /** By the call or question: the permission prompt of a call of the engine. */
  #open = new Map<string, string | null>();
  #change: (Change & { readonly kind: ChangeKind }) | null = null;
  #isIdle = false;

  constructor(emit: (event: SessionEvent) => void) {
    this.#emit = emit;
  }

  reset(): void {
    this.#open = new Map();
    this.#change = null;
    this.#isIdle = false;
  }

  /** `request`: of a permission prompt about a call of the engine. */
  add(id: string, { request, ...change }: Change & { readonly request?: string }): void {
    this.#open.set(id, request ?? null);
    this.#change = { ...change, kind: "opened" };
  }

  remove(id: string, change: Change): void {
    if (this.#open.delete(id)) this.#change = { ...change, kind: "closed" };
  }

  /** The call that a permission prompt is about. Null for a question. */
  callOf(requestId: string): string | null {
    for (const [id, request] of this.#open) if (request === requestId) return id;
    return null;
  }

  /** Before an event: tells what the changes before it have led to, unless it is one more of their kind. */
  settleBefore(kind: ChangeKind | null): void {
    if (this.#change !== null && this.#change.kind !== kind) this.settle();
  }

  settle(): void {
    const change = this.#change;
    if (change === null) return;
    this.#change = null;
    const { moment, seq } = change;
    if (this.#open.size > 0) {
      const ids = [...this.#open.keys()].map((id) => eventId(moment.turnId, id));
      this.#emit(idle(moment, `waits${seq}`, { type: "requires_action", event_ids: ids }));
      this.#isIdle = true;
    } else if (this.#isIdle) {
      this.#emit(running(moment, `continues${seq}`));
      this.#isIdle = false;
    }
  }
}
