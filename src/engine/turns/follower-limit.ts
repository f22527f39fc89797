import type { ServerResponse } from "node:http";
import { EngineError } from "../engine-error.ts";
import { ALL_TASKS } from "./event-journal.ts";

const MAX_FOLLOWERS = 16;

/** Limits the readers that follow one task, besides the call that began its turn, and those that follow all tasks. */
export class FollowerLimit {
  readonly #counts = new Map<string | typeof ALL_TASKS, number>();

  /** Counts the reader until its response closes. Throws `TOO_MANY_READERS`. To be called before anything is awaited. */
  acquire(taskId: string | typeof ALL_TASKS, response: ServerResponse): void {
    const count = this.#counts.get(taskId) ?? 0;
    if (count >= MAX_FOLLOWERS) {
      const what = taskId === ALL_TASKS ? "all tasks" : "the task";
      const message = `${MAX_FOLLOWERS} readers follow ${what} already; close one and retry`;
      throw new EngineError("TOO_MANY_READERS", message, { limit: MAX_FOLLOWERS });
    }
    if (response.closed) return;
    this.#counts.set(taskId, count + 1);
    response.once("close", () => {
      const left = (this.#counts.get(taskId) ?? 1) - 1;
      if (left === 0) this.#counts.delete(taskId);
      else this.#counts.set(taskId, left);
    });
  }
}
