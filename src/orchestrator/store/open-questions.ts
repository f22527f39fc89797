import type { OpenQuestion, QuestionReport } from "../../contract/engine/open-question.ts";
import type { EngineState } from "../../contract/orchestrator/requests.ts";
import type { Db } from "./database.ts";

export interface QuestionRow {
  readonly engine_id: string;
  readonly product_id: string;
  readonly user_id: string;
  readonly state: EngineState;
  readonly question: OpenQuestion;
}

/** Null: of every product. */
interface QuestionFilter {
  readonly productId: string | null;
  readonly userId: string | null;
}

/**
 * Replaces what is known of an engine's questions, unless another process of it has started or a later report is stored.
 * The engine decides what is open, so that nothing needs to be settled here: what it no longer reports is gone.
 */
export async function storeQuestions(
  db: Db,
  { id, incarnation }: { readonly id: string; readonly incarnation: string },
  { revision, questions, total }: QuestionReport,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const engine = await trx
      .updateTable("engines")
      .set({ open_questions: total, questions_of: incarnation, questions_revision: String(revision) })
      .where("id", "=", id)
      .where("incarnation", "=", incarnation)
      // Without a question before and now, which is what most engines report after a start, nothing is written.
      .where((eb) => eb.or([eb("open_questions", ">", 0), eb(eb.val(total), ">", 0)]))
      .where((eb) =>
        eb.or([eb("questions_of", "is distinct from", incarnation), eb("questions_revision", "<", String(revision))]),
      )
      .returning("host_id")
      .executeTakeFirst();
    if (engine === undefined) return;
    await trx.deleteFrom("open_questions").where("engine_id", "=", id).execute();
    const rows = questions.map((question) => ({
      engine_id: id,
      host_id: engine.host_id,
      request_id: question.request_id,
      question: JSON.stringify(question),
    }));
    if (rows.length > 0) await trx.insertInto("open_questions").values(rows).execute();
  });
}

/** The oldest first: the id of a request begins with its time. */
export async function listQuestions(
  db: Db,
  { productId, userId, after, limit }: QuestionFilter & { readonly after: string | null; readonly limit: number },
): Promise<QuestionRow[]> {
  let query = db
    .selectFrom("open_questions")
    .innerJoin("engines", "engines.id", "engine_id")
    .select(["engine_id", "product_id", "user_id", "state", "question"])
    .orderBy("request_id")
    .limit(limit);
  if (productId !== null) query = query.where("product_id", "=", productId);
  if (userId !== null) query = query.where("user_id", "=", userId);
  if (after !== null) query = query.where("request_id", ">", after);
  return query.execute();
}
