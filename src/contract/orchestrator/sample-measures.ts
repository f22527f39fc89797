/** A sample is kept for an hour. */
export const SAMPLE_INTERVAL_S = 10;
export const SAMPLE_COUNT = 360;

/** The measures of an engine with its tools. */
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
