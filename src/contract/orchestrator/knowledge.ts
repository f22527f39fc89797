import * as z from "zod/mini";
import { knowledgeFound } from "../engine/knowledge-result.ts";
import { type RecordOf, extended, field, nullable, record } from "../record.ts";
import { count, text, time } from "../response-schemas.ts";
import { ACTORS } from "./event-types.ts";
import { knowledgeTypes } from "./knowledge-limits.ts";
import { knowledgePassage } from "./knowledge-passage.ts";

const document = {
  path: field(text, "Its path, which the product chose.", "help/refunds.md"),
  title: field(
    text,
    "Its title, by itself: of a PDF file or page, or the first heading. Else the name of the file.",
    "Refunds",
  ),
  media_type: field(z.enum(knowledgeTypes), "What it was read as.", "text/markdown"),
  bytes: field(count, "The size as it was uploaded.", 8120),
  sha256: field(text, "The SHA-256 of what was uploaded, in hex."),
  passages: field(count, "The number of passages that it is searched by.", 9),
  actor: field(z.enum(ACTORS), "Who uploaded it: a call of the product or of an operator.", "product"),
  created_at: field(time, "When it was first uploaded."),
  updated_at: field(time, "When it was last replaced."),
};

const knowledgeDocument = record(
  "KnowledgeDocument",
  "A document of a product's knowledge, without its text.",
  document,
);
export type KnowledgeDocument = RecordOf<typeof knowledgeDocument>;

const version = field(count, "Rises with each change of the documents. 0 before the first one.", 12);

const knowledgeEmbeddings = record(
  "KnowledgeEmbeddings",
  "The vectors of the passages of a product's documents, on the host that answers.",
  {
    model: field(text, "The model of the endpoint that makes them.", "nomic-embed-text"),
    embedded: field(count, "The passages that have a vector.", 340),
    waiting: field(count, "The passages that wait for one. The others were refused by the endpoint.", 0),
    last_error: nullable(text, "Why the last call of the endpoint failed. `null` after one that did not.", null),
  },
);

const productKnowledge = record("ProductKnowledge", "The documents that all engines of a product search.", {
  version,
  documents: field(z.array(knowledgeDocument), "All of them, by path."),
  embeddings: nullable(
    knowledgeEmbeddings,
    "How far the vectors of their passages are. `null` without an [embeddings endpoint](knowledge.md#embeddings).",
    null,
  ),
});
export type ProductKnowledge = RecordOf<typeof productKnowledge>;

const documentShown = extended(knowledgeDocument, "KnowledgeDocumentShown", "A document as it was read.", {
  content: field(z.array(knowledgePassage), "Its passages in order."),
});
export type KnowledgeDocumentShown = RecordOf<typeof documentShown>;

const documentPut = extended(knowledgeDocument, "KnowledgeDocumentPut", "A document that was stored.", {
  version,
  is_new: field(z.boolean(), "`false` if the same document was stored already, so that nothing was changed.", true),
});
export type KnowledgeDocumentPut = RecordOf<typeof documentPut>;

const documentDeleted = record("KnowledgeDocumentDeleted", "A document was deleted.", {
  deleted: field(z.literal(true), "It is gone."),
  version,
});
export type KnowledgeDocumentDeleted = RecordOf<typeof documentDeleted>;

export const searchKnowledgeRequest = z.object({
  query: field(
    z.string().check(z.minLength(1), z.maxLength(2000)),
    "What to find, as a user would ask it.",
    "How long can I return it?",
  ),
  limit: field(z._default(z.int().check(z.gte(1), z.lte(20)), 6), "The largest number of results."),
});

/** The bodies of the routes of a product's knowledge. */
export const KNOWLEDGE_RESPONSES = {
  ProductKnowledge: productKnowledge,
  KnowledgeDocumentShown: documentShown,
  KnowledgeDocumentPut: documentPut,
  KnowledgeDocumentDeleted: documentDeleted,
  KnowledgeFound: knowledgeFound,
};
