import type { JSONColumnType } from "kysely";
import type { OpenQuestion } from "../../contract/engine/open-question.ts";

export interface OpenQuestionsTable {
  engine_id: string;
  host_id: string;
  request_id: string;
  question: JSONColumnType<OpenQuestion>;
}
