import * as z from "zod/mini";
import { type RecordOf, field, nullable, record } from "../record.ts";
import { count, text } from "../response-schemas.ts";

const range = z.tuple([z.int(), z.int()]);

/** Where a passage is, for people and in the index of a product's knowledge. */
export const passagePlace = {
  heading: field(z.array(text), "The headings above it, the outermost first.", ["Returns", "Refunds"]),
  lines: nullable(range, "Its first and last line. `null` in a PDF file or a page of HTML.", [12, 30]),
  pages: nullable(range, "Its first and last page. `null` except in a PDF file.", null),
};

export const knowledgePassage = record("KnowledgePassage", "A passage of a document, as it is searched.", {
  number: field(count, "Its number in the document, from 1.", 3),
  ...passagePlace,
  text: field(text, "Its text.", "We refund within 14 days."),
});
export type KnowledgePassage = RecordOf<typeof knowledgePassage>;

/** What was read of a document. */
const readDocument = z.object({ title: z.string(), passages: z.array(knowledgePassage) });
export type ReadDocument = RecordOf<typeof readDocument>;

/** The answer of the program that reads a document. */
export const documentReading = z.union([
  readDocument,
  /** Why it cannot be read. */
  z.object({ problem: z.string() }),
]);
export type DocumentReading = RecordOf<typeof documentReading>;
