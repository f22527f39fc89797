import * as z from "zod/mini";
import { MEMORY_FORMAT, MEMORY_FORMAT_VERSION } from "./memory-format.ts";
import { trustLabel } from "./memory.ts";
import { type RecordOf, field, record } from "../record.ts";
import { count, text, time } from "../response-schemas.ts";

const fileHeader = record("MemoryFileHeader", "The first line of an exported memory.", {
  type: field(z.literal("header"), "Marks the first line."),
  format: field(z.literal(MEMORY_FORMAT), "The format of the file."),
  version: field(count, "The version of the format.", MEMORY_FORMAT_VERSION),
  engine_version: field(text, "The version of the engine that wrote the file.", "0.1.0"),
  engine_id: field(text, "The engine's id.", "eng_01jd3v8k2m"),
  user_id: field(text, "The product's id of the user.", "alice"),
  product: field(text, "The slug of the product.", "demo"),
  exported_at: field(time, "The time of the snapshot."),
});
export type MemoryFileHeader = RecordOf<typeof fileHeader>;

const fileRecord = z
  .looseObject({
    type: field(text, "The type of the record.", "knowledge"),
    id: z.exactOptional(field(text, "The record's id.", "kn_01jd3vb7fw")),
    trust: z.exactOptional(field(trustLabel, "The least trusted source that it derives from.", "user")),
  })
  .check(
    z.meta({
      title: "MemoryFileRecord",
      description:
        "One record of an exported memory. Its other fields depend on its type, and are named as in the engine's lists. Times are ISO 8601 UTC.",
    }),
  );
export type MemoryFileRecord = RecordOf<typeof fileRecord>;

const counts = z.record(text, count);
const fileEnd = record("MemoryFileEnd", "The last line of an exported memory. A file without it is incomplete.", {
  type: field(z.literal("end"), "Marks the last line."),
  counts: field(counts, "The number of records by type.", { turn: 3, message: 6 }),
});
export type MemoryFileEnd = RecordOf<typeof fileEnd>;

const fileLine = z.union([fileHeader, fileEnd, fileRecord]);
export type MemoryFileLine = RecordOf<typeof fileLine>;

const imported = record("MemoryImported", "The result of an import, by type of record.", {
  imported: field(counts, "Records that are new.", { turn: 3, message: 6 }),
  skipped: field(counts, "Records that existed before, or belong to one that did. They do not change.", { turn: 1 }),
});
export type MemoryImported = RecordOf<typeof imported>;

const erased = record("MemoryErased", "The result of an erasure.", {
  erased: field(counts, "Rows by table, and files by kind.", { turns: 4, messages: 8 }),
});
export type MemoryErased = RecordOf<typeof erased>;

/** The bodies of the routes that export, import and erase the memory. */
export const MEMORY_FILE_RESPONSES = {
  MemoryFileLine: fileLine,
  MemoryImported: imported,
  MemoryErased: erased,
} as const satisfies Record<string, z.ZodMiniType>;
