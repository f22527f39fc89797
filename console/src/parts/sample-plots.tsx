import type { HostSamples, UsageSamples } from "@orchd/client";
import { formatCount, formatMb, formatPercent } from "./format.ts";
import { Plot } from "./plot.tsx";
import type { Points } from "./plot-scale.ts";

/** Ten minutes: a shorter time is not stretched to the whole width. */
const LEAST_POINTS = 60;

/** The last hour of an engine or of the whole host, from its first sample on. */
export const SamplePlots = ({ series }: { readonly series: UsageSamples | HostSamples }) => {
  const { cpu_percent, memory_mb, turns, tokens } = series.samples;
  const known = memory_mb.findIndex((value) => value !== null);
  const first = Math.max(0, Math.min(known === -1 ? 0 : known, memory_mb.length - LEAST_POINTS));
  const intervalMs = series.interval_s * 1000;
  const shared = { fromMs: Date.parse(series.from) + first * intervalMs, intervalMs };
  const from = (points: Points): Points => points.slice(first);
  return (
    <div class="plots">
      {"engines" in series && <Plot {...shared} title="Awake" points={from(series.engines)} format={formatCount} />}
      <Plot {...shared} title="CPU" points={from(cpu_percent)} format={formatPercent} least={5} />
      <Plot {...shared} title="Memory" points={from(memory_mb)} format={formatMb} />
      <Plot {...shared} title="Turns" points={from(turns)} format={formatCount} kind="count" />
      {!("engines" in series) && (
        <Plot {...shared} title="Tokens" points={from(tokens)} format={formatCount} kind="count" />
      )}
    </div>
  );
};
