import type { StoredEvent } from "../../../contract/engine/events.ts";
import { eventId } from "./event-ids.ts";
import { type Moment, type SessionEvent, idle, running } from "./session-event.ts";

interface Change {
  readonly moment: Moment;
  readonly seq: number;
}

/**
 * What a turn waits for. Several that open in a row are one status, and several that close: calls of one answer of the
 * model are open together. The id of a status follows from its last change.
 */
export class OpenActions {
  readonly #emit: (event: SessionEvent) => void;
  /** By the call or question: the permission prompt of a call of the engine. */
  #open = new Map<string, string | null>();
  #change: (Change & { readonly kind: "opened" | "closed" }) | null = null;
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

  /** To be called before each event: tells what the changes before it have led to, unless it may be one more of them. */
  settleBefore(type: StoredEvent["event"]): void {
    if (this.#change !== null && type !== "thread_lifecycle" && !ALIKE[this.#change.kind].has(type)) this.settle();
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

type Types = ReadonlySet<StoredEvent["event"]>;
const ALIKE = {
  opened: new Set<StoredEvent["event"]>(["tool_call", "hitl_request"]) as Types,
  closed: new Set<StoredEvent["event"]>(["tool_result", "hitl_resolved"]) as Types,
} as const;
