import { OPEN_QUESTION_LIMITS, type OpenQuestion, type QuestionReport } from "../../contract/engine/open-question.ts";
import { isoTime } from "../../shared/clock.ts";
import type { AskedRow, OpenQuestionTable } from "../store/open-questions.ts";
import { contextOf } from "./human-requests.ts";

/** The open questions for the daemon, which lists them also while the engine sleeps. */
export class OpenQuestions {
  readonly #table: Pick<OpenQuestionTable, "oldest" | "count">;
  #last: QuestionReport = { revision: 0, questions: [], total: 0 };
  #text = JSON.stringify(this.#last.questions);

  constructor(table: Pick<OpenQuestionTable, "oldest" | "count">) {
    this.#table = table;
  }

  /** Compared with the report before, so that whatever changes the store is seen. */
  report(): QuestionReport {
    const questions = this.#table.oldest().map(shownQuestion);
    const total = questions.length < OPEN_QUESTION_LIMITS.kept ? questions.length : this.#table.count();
    const text = JSON.stringify(questions);
    if (text !== this.#text || total !== this.#last.total) {
      this.#text = text;
      this.#last = { revision: this.#last.revision + 1, questions, total };
    }
    return this.#last;
  }
}

function shownQuestion(row: AskedRow): OpenQuestion {
  const { question, context, options } = OPEN_QUESTION_LIMITS;
  const whole = contextOf(row);
  const fitsContext = JSON.stringify(whole).length <= context;
  // Answers must be whole.
  const fitsOptions = row.options.join("").length <= options;
  return {
    request_id: row.requestId,
    kind: row.kind,
    question: beginning(row.question, question),
    context: fitsContext ? whole : contextOf({ ...row, context: {} }),
    options: fitsOptions ? row.options : [],
    is_shortened: !fitsContext || !fitsOptions || row.question.length > question,
    task_id: row.taskId,
    turn_id: row.turnId,
    title: beginning(row.title, OPEN_QUESTION_LIMITS.message),
    message: beginning(row.message, OPEN_QUESTION_LIMITS.message),
    created_at: isoTime(row.createdAt),
  };
}

const beginning = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;
