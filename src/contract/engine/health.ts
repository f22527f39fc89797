import * as z from "zod/mini";
import { type RecordOf, field, nullable, record } from "../record.ts";
import { count, text, time } from "../response-schemas.ts";

const modelHealth = record("ModelHealth", "How the last call of a model went.", {
  status: field(
    z.enum(["unknown", "ok", "retrying", "failing"]),
    "`retrying`: a call waits for a retry. `unknown`: there was no call yet.",
    "ok",
  ),
  last_error: nullable(
    text,
    "Cause, address and model of the last failure. The model may have recovered since. `null` without one.",
    null,
  ),
  last_error_at: nullable(time, "When that failure was.", null),
  next_try_at: nullable(time, "When the next retry is. `null` unless `retrying`.", null),
});
export type ModelHealth = RecordOf<typeof modelHealth>;

const memoryReset = record("MemoryReset", "A damaged store that was set aside.", {
  at: field(time, "When the empty store was created."),
  old_file: field(text, "The path of the damaged store on the engine's host."),
  reason: field(text, "What was damaged.", "database disk image is malformed"),
});
export type MemoryReset = RecordOf<typeof memoryReset>;

export const embeddingsHealth = record("EmbeddingsHealth", "How far the vectors of memories are.", {
  waiting: field(count, "Memories that wait for their vector.", 0),
  last_error: nullable(text, "Why the endpoint made none at the last call. `null` after one that did.", null),
});
export type EmbeddingsHealth = RecordOf<typeof embeddingsHealth>;

export const engineHealth = record("EngineHealth", "Health and identity of an engine.", {
  status: field(z.literal("ok"), "Always `ok`."),
  engine_id: field(text, "The engine's id.", "eng_01jd3v8k2m"),
  incarnation: field(text, "Identifies one life of the process.", "b0c1f4f2-6f0e-4a52-9c83-5f5f7c1a2f10"),
  version: field(text, "The version that the process runs.", "0.1.0"),
  uptime_s: field(count, "Seconds since the process started.", 3600),
  loaded: field(z.boolean(), "Whether the whole engine is loaded. Calls that come earlier wait for it.", true),
  active_turns: field(count, "Turns that run or wait for a person.", 1),
  pending_hitl: field(count, "Questions and permission prompts that running turns wait for.", 0),
  streams: field(count, "Open event streams.", 1),
  core_soul_hash: nullable(text, "SHA-256 of the core soul. `null` until the engine is loaded."),
  model: z.exactOptional(field(modelHealth, "How the last call of a model went. Omitted until the engine is loaded.")),
  embeddings: z.exactOptional(
    field(embeddingsHealth, "How far the vectors of memories are. Omitted without an embeddings endpoint."),
  ),
  memory_reset: z.exactOptional(
    field(
      memoryReset,
      "Only after a damaged store was set aside, until a memory is imported or erased: where the store is.",
    ),
  ),
});
export type EngineHealth = RecordOf<typeof engineHealth>;
