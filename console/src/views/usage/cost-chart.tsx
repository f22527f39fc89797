import { ChartFrame, useChart } from "../../parts/chart-frame.tsx";
import { niceCeiling } from "../../parts/plot-scale.ts";
import type { Series } from "./daily-series.ts";

interface CostChartProps {
  readonly title: string;
  /** Each as `YYYY-MM-DD`. */
  readonly days: readonly string[];
  /** Drawn one above the other. One alone has no legend. */
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}

const HEIGHT = 140;
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const dayText = (day: string): string => DAY.format(Date.parse(`${day}T00:00:00Z`));
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** A bar for each day. The arrow keys and the pointer read its value; the table below has them all. */
export const CostChart = ({ title, days, series, format }: CostChartProps) => {
  const chart = useChart(days.length, 600);
  const { at, width } = chart;
  const totals = days.map((_, index) => sum(series.map(({ values }) => values[index] ?? 0)));
  const max = niceCeiling(Math.max(0, ...totals));
  const step = width / Math.max(1, days.length);
  const dayAt = (index: number) => (days[index] === undefined ? "" : dayText(days[index]));
  const valueOf = (values: readonly number[]) => format(at === null ? sum(values) : (values[at] ?? 0));
  const parts =
    series.length < 2 ? "" : ` ${series.map(({ name, values }) => `${name}: ${format(sum(values))}`).join(", ")}.`;
  return (
    <div class="cost-chart">
      <ChartFrame
        chart={chart}
        title={title}
        value={valueOf(totals)}
        of={at === null ? "in all" : dayAt(at)}
        label={`${title} by day: ${format(sum(totals))} in all.${parts} The table has each value.`}
        height={HEIGHT}
        max={format(max)}
        from={dayAt(0)}
        to={dayAt(days.length - 1)}
        positionAt={(share) => Math.floor(share * days.length)}
      >
        {days.map((day, index) => (
          <g key={day} class={index === at ? "chosen" : ""}>
            <Bar
              values={series.map(({ values }) => values[index] ?? 0)}
              scale={(HEIGHT - 1) / max}
              x={index * step + step * 0.15}
              width={Math.max(1, step * 0.7)}
            />
          </g>
        ))}
      </ChartFrame>
      {series.length > 1 && (
        <ul class="legend">
          {series.map(({ name, values }, nth) => (
            <li key={name}>
              <span class={`swatch series-${nth}`} aria-hidden="true" />
              <bdi>{name}</bdi> <span class="dim">{valueOf(values)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};

interface BarProps {
  readonly values: readonly number[];
  readonly scale: number;
  readonly x: number;
  readonly width: number;
}

const Bar = ({ values, scale, x, width }: BarProps) => (
  <>
    {values.map((value, nth) => {
      const top = HEIGHT - 1 - sum(values.slice(0, nth + 1)) * scale;
      // A gap of a pixel between two parts, so that they are told apart without their colours.
      const height = Math.max(0, value * scale - (nth === 0 ? 0 : 1));
      return <rect key={nth} class={`bar series-${nth}`} x={x} width={width} y={top} height={height} />;
    })}
  </>
);
