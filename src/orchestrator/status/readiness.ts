import { ApiError } from "../api-error.ts";
import { type Db, databaseAnswers } from "../store/database.ts";

const PING_DEADLINE_MS = 1000;
const RETRY_AFTER_S = 1;
const DRAINING_RETRY_AFTER_S = 30;

/** `standby`: another daemon leads. `following`: calls are passed on to it. `reconciling`: engines are being adopted, and reads are served. */
type Phase = "starting" | "standby" | "following" | "reconciling" | "serving" | "stopping";

const PHASE_MESSAGES: Readonly<Record<Exclude<Phase, "serving">, string>> = {
  starting: "orchd is starting",
  standby: "orchd is on standby: another orchd holds this host",
  following: "orchd follows another orchd, which leads",
  reconciling: "orchd is reconciling its engines",
  stopping: "orchd is stopping",
};

/** Which calls are served now. */
export class Readiness {
  #db: Db | null = null;
  phase: Phase = "starting";
  /** Set by an operator: new engines are refused. */
  draining = false;
  /** Set by a restore: due times of schedules are missed. */
  schedulesPaused = false;

  /** Includes this database in the readiness check. */
  watch(db: Db): void {
    this.#db = db;
  }

  /** Throws SERVICE_UNAVAILABLE when a call of this kind cannot be served. */
  assertServes(kind: "read" | "write"): void {
    if (this.phase === "serving" || (this.phase === "reconciling" && kind === "read")) return;
    throw new ApiError("SERVICE_UNAVAILABLE", PHASE_MESSAGES[this.phase], { retryAfterS: RETRY_AFTER_S });
  }

  /** Throws SERVICE_UNAVAILABLE when a request may not provision or start an engine. */
  assertAdmits(): void {
    this.assertServes("write");
    if (!this.draining) return;
    throw new ApiError("SERVICE_UNAVAILABLE", "the host is draining and takes no new engines", {
      retryAfterS: DRAINING_RETRY_AFTER_S,
    });
  }

  /** Why the daemon is not ready, or null. Pings the database. */
  async notReadyReason(): Promise<string | null> {
    if (this.phase !== "serving" && this.phase !== "following") return PHASE_MESSAGES[this.phase];
    if (this.draining) return "the host is draining";
    return (await this.hasDatabase()) ? null : "the database does not answer";
  }

  /** Pings the database. */
  async hasDatabase(): Promise<boolean> {
    return this.#db !== null && databaseAnswers(this.#db, PING_DEADLINE_MS);
  }
}
