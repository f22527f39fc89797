import type { HostSamples, UsageSamples } from "@orchd/client";
import { formatCount, formatMb, formatPercent } from "./format.ts";
import { Plot } from "./plot.tsx";

/** The last hour of an engine or of the whole host. */
export const SamplePlots = ({ series }: { readonly series: UsageSamples | HostSamples }) => {
  const { cpu_percent, memory_mb, turns, tokens } = series.samples;
  const shared = { fromMs: Date.parse(series.from), intervalMs: series.interval_s * 1000 };
  return (
    <div class="plots">
      {"engines" in series && <Plot {...shared} title="Awake" points={series.engines} format={formatCount} />}
      <Plot {...shared} title="CPU" points={cpu_percent} format={formatPercent} least={5} />
      <Plot {...shared} title="Memory" points={memory_mb} format={formatMb} />
      <Plot {...shared} title="Turns" points={turns} format={formatCount} kind="count" />
      {!("engines" in series) && <Plot {...shared} title="Tokens" points={tokens} format={formatCount} kind="count" />}
    </div>
  );
};
