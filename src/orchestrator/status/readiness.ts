import { ApiError } from "../api-error.ts";
import { type Db, databaseAnswers } from "../store/database.ts";

const PING_DEADLINE_MS = 1000;
const RETRY_AFTER_S = 1;
const DRAINING_RETRY_AFTER_S = 30;

/** `standby`: another daemon looks after this host. `reconciling`: engines are being found again; reads are answered. */
export type Phase = "starting" | "standby" | "reconciling" | "serving" | "stopping";

const WORDS: Readonly<Record<Exclude<Phase, "serving">, string>> = {
  starting: "orchd is starting",
  standby: "orchd is a standby: another one looks after this host",
  reconciling: "orchd is finding its engines again",
  stopping: "orchd is stopping",
};

/** Whether calls are served now, and which. */
export class Readiness {
  #db: Db | null = null;
  phase: Phase = "starting";
  /** An operator's wish. */
  draining = false;

  /** The database to be asked from now on. */
  watch(db: Db): void {
    this.#db = db;
  }

  /** Throws when a call of this kind cannot be served. */
  assertServes(kind: "read" | "write"): void {
    if (this.phase === "serving" || (this.phase === "reconciling" && kind === "read")) return;
    throw new ApiError("SERVICE_UNAVAILABLE", WORDS[this.phase], { retryAfterS: RETRY_AFTER_S });
  }

  /** Throws when no engine may be made or started by request. */
  assertAdmits(): void {
    this.assertServes("write");
    if (!this.draining) return;
    throw new ApiError("SERVICE_UNAVAILABLE", "the host is draining: it takes no new engines", {
      retryAfterS: DRAINING_RETRY_AFTER_S,
    });
  }

  /** What stands in the way of being called ready; asks the database too. */
  async notReadyReason(): Promise<string | null> {
    if (this.phase !== "serving") return WORDS[this.phase];
    if (this.draining) return "the host is draining";
    return this.#db !== null && (await databaseAnswers(this.#db, PING_DEADLINE_MS))
      ? null
      : "the database does not answer";
  }
}
