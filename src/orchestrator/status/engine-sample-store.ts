import { SAMPLE_INTERVAL_S, SAMPLE_MEASURES, type SampleMeasure } from "../../contract/orchestrator/sample-measures.ts";
import type { HostSamples, UsageSamples } from "../../contract/orchestrator/sample.ts";
import { isoTime } from "../../shared/clock.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import { type Merge, SampleRing } from "./sample-ring.ts";
import { workCounts } from "./work-counts.ts";

const MIB = 1_048_576;
const MERGES: Readonly<Record<SampleMeasure, Merge>> = {
  cpu_percent: "average",
  memory_mb: "last",
  disk_mb: "last",
  active_turns: "last",
  turns: "sum",
  failed_turns: "sum",
  tokens: "sum",
};
const OF_ENGINE = SAMPLE_MEASURES.map((measure) => MERGES[measure]);
/** The measures of a host have one more: the number of engines. */
const OF_HOST: readonly Merge[] = [...OF_ENGINE, "last"];

type Work = NonNullable<ReturnType<typeof workCounts>>;
const NO_WORK: Work = { turns: 0, failed_turns: 0, tokens: 0 };

interface EngineSamples {
  readonly ring: SampleRing;
  /** The counters at the last sample. */
  counted: { readonly of: LiveEngine["counted"]; readonly incarnation: string; readonly work: Work } | null;
}

/** The usage of this host's engines in the last hour, in memory: 10 KB for each engine that had a process. */
export class EngineSampleStore {
  readonly #engines = new Map<string, EngineSamples>();
  readonly #host = new SampleRing(OF_HOST);
  readonly #startedAt: number;

  /** `startedAt`: of this daemon, in milliseconds since the epoch. */
  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  /** Adds the newest usage of the engines that have a process. */
  add(now: number, engines: readonly LiveEngine[]): void {
    const sums = SAMPLE_MEASURES.map((): number | null => null);
    for (const live of engines) {
      const samples = this.#of(live.id);
      const values = measure(samples, live, live.healthySince < this.#startedAt);
      samples.ring.add(now, values);
      for (const [index, value] of values.entries()) if (value !== null) sums[index] = (sums[index] ?? 0) + value;
    }
    this.#host.add(now, [...sums, engines.length]);
    for (const [id, { ring }] of this.#engines) if (ring.isOver(now)) this.#engines.delete(id);
  }

  ofHost(now: number): HostSamples {
    const { from, measures } = this.#host.read(now);
    return { ...shown(from, measures), engines: measures.at(-1) ?? [] };
  }

  /** Null for an engine that had no process in the last hour. */
  ofEngine(id: string, now: number): UsageSamples | null {
    const samples = this.#engines.get(id);
    if (samples === undefined) return null;
    const { from, measures } = samples.ring.read(now);
    return shown(from, measures);
  }

  /** For an engine without samples. */
  none(now: number): UsageSamples {
    const { from, measures } = new SampleRing(OF_ENGINE).read(now);
    return shown(from, measures);
  }

  #of(id: string): EngineSamples {
    const known = this.#engines.get(id);
    if (known !== undefined) return known;
    const samples: EngineSamples = { ring: new SampleRing(OF_ENGINE), counted: null };
    this.#engines.set(id, samples);
    return samples;
  }
}

/** The values of one engine, in the order of the measures. */
function measure(samples: EngineSamples, live: LiveEngine, isAdopted: boolean): (number | null)[] {
  const { usage, diskBytes, activeTurns } = live;
  const work = workSince(samples, live, isAdopted);
  return [
    usage?.cpuPercent ?? null,
    usage === null ? null : usage.memoryBytes / MIB,
    diskBytes === null ? null : diskBytes / MIB,
    activeTurns,
    work?.turns ?? null,
    work?.failed_turns ?? null,
    work?.tokens ?? null,
  ];
}

/** The increase of the engine's counters since the last sample. Null until its metrics are read. */
function workSince(samples: EngineSamples, live: LiveEngine, isAdopted: boolean): Work | null {
  const { counted: before } = samples;
  const isSame = before?.incarnation === live.incarnation;
  if (isSame && before.of === live.counted) return NO_WORK;
  const work = workCounts(live);
  if (work === null) return null;
  samples.counted = { of: live.counted, incarnation: live.incarnation, work };
  // The counts from the time of an earlier daemon have no known time.
  if (before === null && isAdopted) return NO_WORK;
  const start = isSame ? before.work : NO_WORK;
  const since = (name: keyof Work) => Math.max(0, work[name] - start[name]);
  return { turns: since("turns"), failed_turns: since("failed_turns"), tokens: since("tokens") };
}

function shown(from: number, measures: readonly (readonly (number | null)[])[]): UsageSamples {
  const samples = Object.fromEntries(SAMPLE_MEASURES.map((measure, index) => [measure, measures[index] ?? []]));
  return { interval_s: SAMPLE_INTERVAL_S, from: isoTime(from), samples: samples as UsageSamples["samples"] };
}
