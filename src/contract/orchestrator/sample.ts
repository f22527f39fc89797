import * as z from "zod/mini";
import { type RecordOf, extended, field, record } from "../record.ts";
import { count, time } from "../response-schemas.ts";
import { SAMPLE_INTERVAL_S, type SampleMeasure } from "./sample-measures.ts";

const values = z.array(z.nullable(z.number()));

const measures = {
  cpu_percent: field(values, "Per cent of one core, on average.", [12.5, null]),
  memory_mb: field(values, "MiB of memory at the end of the interval.", [31, null]),
  disk_mb: field(values, "MiB of the engine's folder at the end of the interval.", [12, null]),
  active_turns: field(values, "Turns that ran or waited for a person at the end of the interval.", [1, null]),
  turns: field(values, "Turns that ended in the interval.", [2, null]),
  failed_turns: field(values, "Turns of them that ended with an error.", [0, null]),
  tokens: field(values, "Input and output tokens of the models in the interval.", [1_830, null]),
} satisfies Record<SampleMeasure, unknown>;

const usageSamples = record("UsageSamples", "What an engine used with its tools in the last hour.", {
  interval_s: field(count, "Seconds between two samples.", SAMPLE_INTERVAL_S),
  from: field(time, "The time of the first sample."),
  samples: field(
    z.object(measures),
    "The values of each measure, the oldest first. One is `null` where nothing was measured.",
  ),
});
export type UsageSamples = RecordOf<typeof usageSamples>;

const hostSamples = extended(usageSamples, "HostSamples", "The sums of all engines of the host.", {
  engines: field(values, "The number of engines with a process.", [12, 12]),
});
export type HostSamples = RecordOf<typeof hostSamples>;

export const SAMPLE_RESPONSES = { UsageSamples: usageSamples, HostSamples: hostSamples };
