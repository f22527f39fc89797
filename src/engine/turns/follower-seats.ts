import type { ServerResponse } from "node:http";
import { EngineError } from "../engine-error.ts";
import { ALL_TASKS } from "./event-journal.ts";

const MAX_FOLLOWERS = 16;

/** How many may follow one task at once, beside the call that began its turn; as many follow all tasks together. */
export class FollowerSeats {
  readonly #taken = new Map<string | typeof ALL_TASKS, number>();

  /** Taken before anything is waited for, so that calls at the same moment count; given back when the reader is gone. */
  take(taskId: string | typeof ALL_TASKS, response: ServerResponse): void {
    const taken = this.#taken.get(taskId) ?? 0;
    if (taken >= MAX_FOLLOWERS) {
      const what = taskId === ALL_TASKS ? "all tasks" : "the task";
      const message = `${MAX_FOLLOWERS} readers follow ${what} already; close one and retry`;
      throw new EngineError("TOO_MANY_READERS", message, { limit: MAX_FOLLOWERS });
    }
    if (response.closed) return;
    this.#taken.set(taskId, taken + 1);
    response.once("close", () => {
      const left = (this.#taken.get(taskId) ?? 1) - 1;
      if (left === 0) this.#taken.delete(taskId);
      else this.#taken.set(taskId, left);
    });
  }
}
