import { oneLine } from "../../shared/one-line.ts";

/** Number, time, task and turn of an event. */
export interface Stamp {
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly ts: number;
  readonly taskId: string;
  readonly turnId: string;
}

/**
 * Appends the stamp to an event's JSON as text, and caches the second, task and turn of the previous event. Copying an
 * object per event was the largest cost of a fast stream. Guarded by `bench/parts/deltas.ts`.
 */
export class EventStamper {
  #secondAt = Number.NaN;
  /** Up to the dot: `2026-01-02T03:04:05.`. */
  #second = "";
  #taskId = "";
  #turnId = "";
  #ids = "";

  stamp(body: string, { seq, ts, taskId, turnId }: Stamp): string {
    if (taskId !== this.#taskId || turnId !== this.#turnId) {
      this.#ids = `"task_id":${oneLine(taskId)},"turn_id":"${turnId}"`;
      this.#taskId = taskId;
      this.#turnId = turnId;
    }
    return `${body.slice(0, -1)},"ts":"${this.#time(ts)}","seq":${seq},${this.#ids}}`;
  }

  #time(ts: number): string {
    const ms = ts % 1000;
    if (ts - ms !== this.#secondAt) {
      this.#secondAt = ts - ms;
      this.#second = new Date(ts).toISOString().slice(0, -4);
    }
    return `${this.#second}${ms < 10 ? "00" : ms < 100 ? "0" : ""}${ms}Z`;
  }
}
