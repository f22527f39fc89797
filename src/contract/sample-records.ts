import type { IsoTime } from "./orchestrator-records.ts";

/** A sample is kept for an hour. */
export const SAMPLE_INTERVAL_S = 10;
export const SAMPLE_COUNT = 360;

/**
 * The measures of an engine with its tools. Gauges: average CPU in per cent of one core, memory, folder size and running
 * turns. Counts per sample: ended turns, failed turns, and tokens of the models.
 */
export const SAMPLE_MEASURES = [
  "cpu_percent",
  "memory_mb",
  "disk_mb",
  "active_turns",
  "turns",
  "failed_turns",
  "tokens",
] as const;
export type SampleMeasure = (typeof SAMPLE_MEASURES)[number];

/** The last hour, oldest sample first. A value is null where nothing was measured. */
export interface UsageSamples {
  readonly interval_s: number;
  /** The time of the first sample. */
  readonly from: IsoTime;
  readonly samples: Readonly<Record<SampleMeasure, readonly (number | null)[]>>;
}

/** The sums of all engines of a host. */
export interface HostSamples extends UsageSamples {
  /** The number of engines with a process. */
  readonly engines: readonly (number | null)[];
}
