import type { UsageEntry } from "@orchd/client";
import { formatCount } from "../../parts/format.ts";
import { CostChart } from "./cost-chart.tsx";
import { dailySeries } from "./daily-series.ts";
import { costText, tokensOf } from "./usage-text.ts";

interface ChartsProps {
  readonly daily: readonly UsageEntry[];
  readonly days: readonly string[];
  /** The name of what an entry is of. All have one in charts that are not split. */
  readonly nameOf: (entry: UsageEntry) => string;
}

/** Costs and tokens by day, and what costs are not known. */
export const UsageCharts = ({ daily, days, nameOf }: ChartsProps) => {
  const currency = daily[0]?.currency ?? null;
  const unpriced = daily.reduce((sum, { unpriced_tokens: tokens }) => sum + tokens, 0);
  const series = (valueOf: (entry: UsageEntry) => number) =>
    dailySeries(daily, { days, nameOf, rankOf: tokensOf }, valueOf);
  return (
    <>
      <div class="plots">
        {currency !== null && (
          <CostChart
            title="Cost"
            days={days}
            series={series(({ cost_micros: micros }) => micros ?? 0)}
            format={(micros) => costText(micros, currency)}
          />
        )}
        <CostChart
          title="Tokens"
          days={days}
          series={series(tokensOf)}
          format={(value) => formatCount(Math.round(value))}
        />
      </div>
      {currency === null && (
        <p class="dim">
          Costs are not known: the daemon has no prices. Its operator names a file with the prices of models by the
          setting <code>ORCH_PRICES</code>.
        </p>
      )}
      {unpriced > 0 && currency !== null && (
        <p class="dim">
          {formatCount(unpriced)} tokens are of models without a price in the file of <code>ORCH_PRICES</code>. What has
          any of them has no cost.
        </p>
      )}
    </>
  );
};
