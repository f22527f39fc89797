import type { QuestionRecord } from "../../contract/orchestrator/question.ts";
import type { HostContext } from "../host-context.ts";
import { type QuestionRow, listQuestions } from "../store/open-questions.ts";

export interface QuestionPage {
  readonly data: readonly QuestionRecord[];
  readonly next_cursor: string | null;
}

/** Null: of every product, of every user, from the first one. */
export interface QuestionPlace {
  readonly productId: string | null;
  readonly userId: string | null;
  readonly after: string | null;
  readonly limit: number;
}

/** A page of open questions, of one product, or with null of all. */
export async function pageOfQuestions({ db }: Pick<HostContext, "db">, page: QuestionPlace): Promise<QuestionPage> {
  const data = (await listQuestions(db, page)).map(questionRecord);
  const last = data.at(-1);
  return {
    data,
    next_cursor: data.length === page.limit && last !== undefined ? last.request_id : null,
  };
}

const questionRecord = ({ question, state, ...engine }: QuestionRow): QuestionRecord => ({
  ...question,
  ...engine,
  engine_state: state,
});
