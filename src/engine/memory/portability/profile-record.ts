import * as z from "zod/mini";
import { MAX_LINE_LENGTH, PROFILE_SECTIONS } from "../../../contract/engine/profile.ts";
import { choice, id, listed, orNull, text, time } from "./file-fields.ts";

/** Bytes of a character of UTF-8. */
const MAX_BYTES = 4 * MAX_LINE_LENGTH;

/** A line of the profile page. A deleted one has no text, and keeps its facts from making another. */
export const PROFILE_RECORD = {
  table: "profile_lines",
  order: "number",
  fields: {
    id: id("id", "pl_"),
    section: choice("section", PROFILE_SECTIONS),
    text: text("text", MAX_BYTES),
    origin: choice("origin", ["learned", "person"]),
    created_at: time("created_at"),
    updated_at: time("updated_at"),
    deleted_at: orNull(time("deleted_at")),
    facts: listed("select knowledge_id as value from profile_facts where line_id = profile_lines.id order by 1", () =>
      z.string(),
    ),
  },
  refers: { facts: "knowledge" },
} as const;
