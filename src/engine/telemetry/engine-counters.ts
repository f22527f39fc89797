import type { EngineMetricsReport, EngineSample } from "../../contract/engine/status.ts";
import {
  ENGINE_METRICS,
  ENGINE_METRIC_LIMITS,
  type EngineMetricName,
  type EngineMetricRow,
  type LabelsOf,
  OTHER,
} from "../../contract/engine/metrics.ts";

interface Series {
  readonly name: EngineMetricName;
  readonly labels: readonly string[];
  /** A counter has one value; a histogram its sum, then its buckets. */
  readonly values: number[];
}

/** What this process has counted since its start, in memory. The daemon reads it with `GET /control/status`. */
export class EngineCounters {
  readonly #series = new Map<string, Series>();
  readonly #models = new Set<string>();
  #revision = 0;
  #reported: readonly EngineSample[] | undefined;

  count<Name extends EngineMetricName>(name: Name, labels: LabelsOf<Name>, by = 1): void {
    this.#add(name, labels, (values) => (values[0] = (values[0] ?? 0) + by));
  }

  observe<Name extends EngineMetricName>(name: Name, labels: LabelsOf<Name>, seconds: number): void {
    const { buckets = [] }: EngineMetricRow = ENGINE_METRICS[name];
    const found = buckets.findIndex((bound) => seconds <= bound);
    const bucket = found === -1 ? buckets.length : found;
    this.#add(name, labels, (values) => {
      values[0] = (values[0] ?? 0) + seconds;
      values[1 + bucket] = (values[1 + bucket] ?? 0) + 1;
    });
  }

  /**
   * `known`: the revision that the daemon has read, null before its first read. Undefined when nothing has changed since.
   */
  report(known: number | null): EngineMetricsReport | undefined {
    if (known === this.#revision) return undefined;
    const before = known === null ? this.#reported : undefined;
    this.#reported = [...this.#series.values()].map(({ name, labels, values }) => [
      name,
      labels,
      ENGINE_METRICS[name].kind === "counter" ? (values[0] ?? 0) : [...values],
    ]);
    return { revision: this.#revision, samples: this.#reported, ...(before !== undefined && { before }) };
  }

  #add(name: EngineMetricName, given: Readonly<Record<string, string>>, change: (values: number[]) => void): void {
    const row: EngineMetricRow = ENGINE_METRICS[name];
    const labels = Object.keys(row.labels).map((label) => this.#bounded(row.labels[label] === "name", given[label]));
    const key = [name, ...labels].join("\n");
    const known = this.#series.get(key);
    if (known === undefined && this.#series.size >= ENGINE_METRIC_LIMITS.samples) return;
    const length = row.kind === "counter" ? 1 : 2 + (row.buckets?.length ?? 0);
    const series = known ?? { name, labels, values: Array.from({ length }, () => 0) };
    this.#series.set(key, series);
    change(series.values);
    this.#revision++;
  }

  /** Agents of the catalog may name any number of models. */
  #bounded(isName: boolean, value = OTHER): string {
    if (!isName || this.#models.has(value)) return value;
    if (this.#models.size >= ENGINE_METRIC_LIMITS.models) return OTHER;
    this.#models.add(value);
    return value;
  }
}
