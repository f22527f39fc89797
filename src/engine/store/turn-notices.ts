import { TURN_NOTICE_LIMITS, type TurnNoticeReport, turnNoticeOf } from "../../contract/engine/turn-notice.ts";
import { Table } from "./table.ts";

/** What the daemon has not read yet of the ends and waits of turns. The store's triggers write it. */
export class TurnNoticeTable extends Table {
  readonly #last = this.db.prepare("select max(seq) as last from turn_notices");
  readonly #remove = this.db.prepare("delete from turn_notices where seq <= ?");
  readonly #oldest = this.db.prepare("select * from turn_notices order by seq limit ?");

  /** The oldest notices. Those up to `read` are stored by the daemon, and deleted. Undefined without one. */
  report(read: number): TurnNoticeReport | undefined {
    if (this.last === null) return undefined;
    if (read > 0) this.#remove.run(read);
    const rows = this.#oldest.all(TURN_NOTICE_LIMITS.perReport + 1);
    const notices = rows.slice(0, TURN_NOTICE_LIMITS.perReport).map(turnNoticeOf);
    return notices.length === 0 ? undefined : { notices, more: rows.length > notices.length };
  }

  /** The number of the newest notice; null without one. */
  get last(): number | null {
    const last = this.#last.get()?.["last"] ?? null;
    return last === null ? null : Number(last);
  }

  /** No daemon reads the notices of an engine that was started by hand. */
  prune(): void {
    this.#remove.run((this.last ?? 0) - TURN_NOTICE_LIMITS.kept);
  }
}
