import * as z from "zod/mini";
import { budgetReport } from "./budgets.ts";
import { modelCooldowns } from "./models.ts";
import { ENGINE_METRIC_LIMITS } from "./metrics.ts";
import { embeddingsHealth } from "./health.ts";
import { usageReport } from "./metered-usage.ts";
import { turnNoticeReport } from "./turn-notice.ts";
import { type RecordOf, field, nullable, record } from "../record.ts";
import { count, time } from "../response-schemas.ts";
import { AWAKE_REASONS } from "./sleep.ts";

const { samples: MAX_SAMPLES, nameLength: MAX_NAME } = ENGINE_METRIC_LIMITS;
const name = z.string().check(z.maxLength(MAX_NAME));
/** Exact as a double, also as the sum of many engines. */
const total = z.number().check(z.gte(0), z.lte(1e12));
const sample = z.tuple([
  name,
  z.array(name).check(z.maxLength(8)),
  z.union([total, z.array(total).check(z.maxLength(32))]),
]);
/**
 * The name of a metric, the values of its labels in the order of its row, and its value since the start of the engine.
 * For a histogram: the sum in seconds, then the count of each bucket, the last one unbounded.
 */
export type EngineSample = RecordOf<typeof sample>;
const samples = z.array(sample).check(z.maxLength(MAX_SAMPLES));

export const engineMetricsReport = record("EngineMetricsReport", "The counters of an engine since its start.", {
  revision: field(z.int().check(z.gte(0)), "The revision of the samples."),
  samples,
  before: z.exactOptional(field(samples, "For a daemon's first read: the samples that an earlier daemon read last.")),
});
export type EngineMetricsReport = RecordOf<typeof engineMetricsReport>;

export const engineStatus = record("EngineStatus", "What an engine does, for the daemon.", {
  active_turns: field(count, "While it drains, turns that wait for a person do not count."),
  pending_hitl: count,
  streams: count,
  draining: z.boolean(),
  last_active_at: nullable(time, "The time of the last turn event."),
  idle_since: nullable(time, "When the last work ended. `null` while there is work."),
  idle_ms: field(
    z.optional(z.nullable(count)),
    "Milliseconds since the last work ended. `null` while there is work. Omitted by engines of earlier releases.",
  ),
  awake: z.array(z.enum(AWAKE_REASONS)),
  learning_due_at: field(
    z.optional(z.nullable(time)),
    "When the next learning batch is due; it runs earlier when the engine is to sleep. `null` when there is nothing to learn. Omitted by engines of earlier releases, whose `awake` names `learning` also for a batch that is only due.",
  ),
  disk_bytes: field(
    z.optional(z.nullable(count)),
    "The size of the engine's folder. `null` before it was measured. Omitted by engines of earlier releases.",
  ),
  metrics: field(z.exactOptional(engineMetricsReport), "On request, if they have changed."),
  usage_revision: field(z.optional(count), "The last revision of the ledger. Omitted by engines of earlier releases."),
  budgets: field(z.exactOptional(budgetReport), "Omitted without budgets."),
  cooldowns: field(z.exactOptional(modelCooldowns), "The models that failed for this engine. Omitted without one."),
  embeddings: field(z.exactOptional(embeddingsHealth), "Omitted without an embeddings endpoint."),
  usage: field(z.exactOptional(usageReport), "On request, if anything has been spent since."),
  last_notice: field(
    z.optional(z.nullable(count)),
    "The number of the newest notice of turns that it keeps. `null` without one. Omitted by engines of earlier releases.",
  ),
  notices: field(z.exactOptional(turnNoticeReport), "On request, if it keeps any."),
  questions_revision: field(
    z.optional(count),
    "The revision of its open questions. Omitted by engines of earlier releases.",
  ),
});
export type EngineStatus = RecordOf<typeof engineStatus>;
