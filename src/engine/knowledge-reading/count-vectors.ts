import type { CountedVectors } from "../../contract/orchestrator/knowledge-order.ts";
import type { Database } from "../store/database.ts";

/** How many passages of a file have a vector, and how many wait for one. */
export function countVectors(db: Database): CountedVectors {
  const row = db
    .prepare(
      `select (select model from embedding) as model, (select count(*) from passages) as passages,
       (select count(*) from passage_signs) as embedded, (select count(*) from passage_vectors) as tried`,
    )
    .get();
  const model = row?.["model"] ?? null;
  return {
    model: model === null ? null : String(model),
    embedded: Number(row?.["embedded"]),
    waiting: Number(row?.["passages"]) - Number(row?.["tried"]),
  };
}
