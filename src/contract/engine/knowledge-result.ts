import * as z from "zod/mini";
import { passagePlace } from "../orchestrator/knowledge-passage.ts";
import { type RecordOf, field, record } from "../record.ts";
import { count, text } from "../response-schemas.ts";

/** One or several neighbouring passages of a document of the product's knowledge. */
export const knowledgeResult = record(
  "KnowledgeResult",
  "Passages of a document of the [product's knowledge](knowledge.md) that a search found.",
  {
    source: field(
      text,
      "What the model cites it by: the document's path with lines, pages or the number of the passage.",
      "refunds.md:12-30",
    ),
    path: field(text, "The path of the document.", "refunds.md"),
    title: field(text, "The title of the document.", "Refunds"),
    ...passagePlace,
    text: field(text, "The text of the passages.", "We refund within 14 days."),
  },
);
export type KnowledgeResult = RecordOf<typeof knowledgeResult>;

export const knowledgeFound = record("KnowledgeFound", "What a search of a product's knowledge found.", {
  results: field(z.array(knowledgeResult), "The best first.", []),
});
export type KnowledgeFound = RecordOf<typeof knowledgeFound>;

/** The event of a search, for clients. */
export const KNOWLEDGE_FOUND =
  "A call of `search_knowledge` has found passages, which the answer may cite by their `source`. It comes before the `tool_result` of the call.";
export const foundPassages = {
  results: field(z.array(knowledgeResult), "The best first, each with at most the first 500 characters of its `text`."),
};

const knowledgeVersionUsed = record(
  "KnowledgeVersionUsed",
  "The version of the product's knowledge that is searched.",
  {
    version: field(count, "Its number.", 12),
    missing: field(z.boolean(), "Whether the engine cannot read its file, so that the daemon sends it.", false),
  },
);

export const ENGINE_KNOWLEDGE_RESPONSES = { KnowledgeVersionUsed: knowledgeVersionUsed };

/** Above the texts of a product's documents with their index and vectors. */
export const MAX_KNOWLEDGE_FILE_BYTES = 640 * 1024 * 1024;
