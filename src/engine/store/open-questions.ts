import { OPEN_QUESTION_LIMITS } from "../../contract/engine/open-question.ts";
import { type HitlRow, hitlRow } from "./hitl-requests.ts";
import { Table } from "./table.ts";

export interface AskedRow extends HitlRow {
  /** Of its task. */
  readonly title: string;
  /** The beginning of the message that its turn answers. */
  readonly message: string;
}

/** The open questions with what they belong to. */
export class OpenQuestionTable extends Table {
  readonly #oldest = this.db.prepare(
    `select hitl_requests.*, coalesce(tasks.title, '') as title,
       substr(coalesce(turns.message, ''), 1, ?1) as message
     from hitl_requests left join tasks using (task_id) left join turns using (turn_id)
     where resolved_at is null order by hitl_requests.created_at, request_id limit ?2`,
  );
  readonly #count = this.db.prepare("select count(*) as count from hitl_requests where resolved_at is null");

  oldest(): readonly AskedRow[] {
    const { kept, message } = OPEN_QUESTION_LIMITS;
    return this.#oldest
      .all(message + 1, kept)
      .map((row) => ({ ...hitlRow(row), title: String(row["title"]), message: String(row["message"]) }));
  }

  count(): number {
    return Number(this.#count.get()?.["count"]);
  }
}
