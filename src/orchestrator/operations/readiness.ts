import type { Db } from "../store/database.ts";
import { databaseAnswers } from "../store/ping.ts";

const PING_DEADLINE_MS = 1000;

/** Whether calls are served now. The daemon starts unready and becomes ready once, when it has found its engines. */
export class Readiness {
  readonly #db: Db;
  #phase: "starting" | "serving" | "stopping" = "starting";

  constructor(db: Db) {
    this.#db = db;
  }

  enter(phase: "serving" | "stopping"): void {
    this.#phase = phase;
  }

  /** What stands in the way of any call that needs the database; null when nothing is known to. */
  get obstacle(): string | null {
    return this.#phase === "serving" ? null : `orchd is ${this.#phase}`;
  }

  /** Asks the database too. */
  async whyNot(): Promise<string | null> {
    if (this.obstacle !== null) return this.obstacle;
    return (await databaseAnswers(this.#db, PING_DEADLINE_MS)) ? null : "the database does not answer";
  }
}
