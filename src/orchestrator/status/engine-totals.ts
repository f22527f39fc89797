import type { EngineMetricsReport, EngineSample } from "../../contract/engine/status.ts";
import {
  type CountedEngine,
  ENGINE_METRICS,
  type EngineMetricName,
  type EngineMetricRow,
  OTHER,
} from "../../contract/engine/metrics.ts";

interface Total {
  readonly labels: Readonly<Record<string, string>>;
  /** A counter has one value; a histogram its sum, then its buckets. */
  readonly values: number[];
}

/** One line of the text format. */
interface Line {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** Restricts model names, which come from products and could contain user text. */
const NAME = /^[\w.:/@+-]{1,64}$/;
const MAX_NAMES_PER_PRODUCT = 50;

/**
 * The metrics of engines, summed by product. An engine counts from zero in each incarnation, so only the increase since
 * the last report is added. Engines are not trusted: labels outside the table become `other`.
 */
export class EngineTotals {
  readonly #totals = new Map<EngineMetricName, Map<string, Total>>();
  readonly #names = new Map<string, Set<string>>();

  /** `counted`: of this incarnation so far, null before its first report. */
  add(product: string, report: EngineMetricsReport, counted: CountedEngine | null): CountedEngine {
    const known = counted?.values ?? valuesOf(report.before ?? []);
    const values = valuesOf(report.samples);
    for (const [key, now] of values) {
      const before = known.get(key) ?? [];
      const increase = now.map((value, at) => Math.max(0, value - (before[at] ?? 0)));
      if (increase.some((value) => value > 0)) this.#increase(product, key, increase);
    }
    return { revision: report.revision, values };
  }

  /** The lines of one metric. */
  lines(name: EngineMetricName): Line[] {
    const totals = [...(this.#totals.get(name)?.values() ?? [])];
    const { kind, buckets = [] }: EngineMetricRow = ENGINE_METRICS[name];
    if (kind === "counter")
      return totals.map(({ labels, values }) => ({ metricName: name, labels, value: values[0] ?? 0 }));
    return totals.flatMap(({ labels, values: [sum = 0, ...counts] }) => {
      let count = 0;
      const bounds = [...buckets, "+Inf"].map((le, at) => {
        count += counts[at] ?? 0;
        return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
      });
      return [
        ...bounds,
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ];
    });
  }

  #increase(product: string, key: string, increase: readonly number[]): void {
    const [name = "", ...given] = key.split("\n");
    if (!isMetric(name)) return;
    const row: EngineMetricRow = ENGINE_METRICS[name];
    const labels: Record<string, string> = { product };
    for (const [at, [label, allowed]] of Object.entries(row.labels).entries()) {
      const value = given[at] ?? OTHER;
      if (allowed === "name") labels[label] = this.#boundedName(product, value);
      else labels[label] = allowed.includes(value) ? value : OTHER;
    }
    const series = this.#totals.get(name) ?? new Map<string, Total>();
    this.#totals.set(name, series);
    const place = Object.values(labels).join("\n");
    const length = row.kind === "counter" ? 1 : 2 + (row.buckets?.length ?? 0);
    const total = series.get(place) ?? { labels, values: Array.from({ length }, () => 0) };
    series.set(place, total);
    for (const at of total.values.keys()) total.values[at] = (total.values[at] ?? 0) + (increase[at] ?? 0);
  }

  #boundedName(product: string, name: string): string {
    const names = this.#names.get(product) ?? new Set();
    this.#names.set(product, names);
    if (!NAME.test(name) || (!names.has(name) && names.size >= MAX_NAMES_PER_PRODUCT)) return OTHER;
    names.add(name);
    return name;
  }
}

const isMetric = (name: string): name is EngineMetricName => Object.hasOwn(ENGINE_METRICS, name);

const valuesOf = (samples: readonly EngineSample[]): ReadonlyMap<string, readonly number[]> =>
  new Map(
    samples.map(([name, labels, value]) => [[name, ...labels].join("\n"), typeof value === "number" ? [value] : value]),
  );
