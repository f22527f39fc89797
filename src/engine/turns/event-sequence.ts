import type { EmittedEvent } from "../../contract/engine/events.ts";
import { oneLine } from "../../shared/one-line.ts";
import { EventStamper } from "../store/event-stamp.ts";
import type { EventRow } from "../store/events.ts";

/** An event the agent may emit. Heartbeats belong to readers and are never stored. */
export type JournalEvent = Exclude<EmittedEvent, { event: "heartbeat" }>;

/** Heartbeats draw times without storing them: after a restart the clock must be past these too. */
const UNSTORED_DRAWS = 1000;

/** Numbers and times events: `seq` and `ts` both strictly rise, restarts and clock changes included. */
export class EventSequence {
  readonly #now: () => number;
  readonly #stamper = new EventStamper();
  /** Last time drawn. Above a thousand events a second it runs ahead of the clock, until the clock catches up. */
  #drawn: number;
  /** Stamp of the last event. */
  #last: { readonly seq: number; readonly ts: number };

  constructor(last: { readonly seq: number; readonly ts: number }, now: () => number) {
    this.#last = { seq: last.seq, ts: last.ts };
    this.#drawn = last.ts + UNSTORED_DRAWS;
    this.#now = now;
  }

  get last(): { readonly seq: number; readonly ts: number } {
    return this.#last;
  }

  /** A time in milliseconds that no event and no earlier draw has. */
  drawTime(): number {
    this.#drawn = Math.max(this.#now(), this.#drawn + 1);
    return this.#drawn;
  }

  stamp(taskId: string, turnId: string, { event, data }: JournalEvent): EventRow {
    const ts = this.drawTime();
    const seq = this.#last.seq + 1;
    this.#last = { seq, ts };
    // `timestamp` equals the event's `ts`.
    const fields = event === "thread_lifecycle" ? { ...data, timestamp: new Date(ts).toISOString() } : data;
    const body = oneLine(fields);
    const stamp = { seq, ts, taskId, turnId };
    return { ...stamp, type: event, body, data: this.#stamper.stamp(body, stamp) };
  }
}
