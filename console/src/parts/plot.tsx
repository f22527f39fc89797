import { ChartFrame, useChart } from "./chart-frame.tsx";
import { NONE } from "./format.ts";
import { type Points, linePath, niceCeiling } from "./plot-scale.ts";

interface PlotProps {
  readonly title: string;
  readonly points: Points;
  /** Time of the first point, in milliseconds, and of each next one later. */
  readonly fromMs: number;
  readonly intervalMs: number;
  readonly format: (value: number) => string;
  /** Counts within each interval are shown as bars, levels as a line. */
  readonly kind?: "level" | "count";
  readonly least?: number;
}

const HEIGHT = 64;
const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

/** One hour of one quantity. The value under the pointer, or at the position of the arrow keys, is shown. */
export const Plot = ({ title, points, fromMs, intervalMs, format, kind = "level", least = 0 }: PlotProps) => {
  const chart = useChart(points.length, 240);
  const { at, width } = chart;
  const known = points.filter((value) => value !== null);
  const max = Math.max(niceCeiling(known.reduce((largest, value) => Math.max(largest, value), 0)), least);
  const newest = points.at(-1) ?? points.at(-2) ?? null;
  const shown = at === null ? newest : (points[at] ?? null);
  const scale = { width, height: HEIGHT, max };
  const last = points.length - 1;
  const cursor = at === null ? null : (at / Math.max(1, last)) * width;
  const timeOf = (index: number) => CLOCK.format(fromMs + index * intervalMs);
  return (
    <ChartFrame
      chart={chart}
      title={title}
      value={shown === null ? NONE : format(shown)}
      of={at === null ? null : timeOf(at)}
      label={`${title} since ${timeOf(0)}: now ${newest === null ? "nothing" : format(newest)}, at most ${format(Math.max(0, ...known))}`}
      height={HEIGHT}
      max={format(max)}
      from={timeOf(0)}
      to={timeOf(last)}
      positionAt={(share) => Math.round(share * last)}
    >
      {kind === "count" ? (
        <path class="bars" d={barPath(points, scale)} />
      ) : (
        <path class="line" d={linePath(points, scale)} />
      )}
      {cursor !== null && <line class="cursor" x1={cursor} x2={cursor} y1="0" y2={HEIGHT} />}
    </ChartFrame>
  );
};

function barPath(
  points: Points,
  { width, height, max }: { readonly width: number; readonly height: number; readonly max: number },
): string {
  const stepX = width / Math.max(1, points.length);
  return points
    .map((value, index) => {
      if (value === null || value === 0) return "";
      const top = (height - (value / max) * height).toFixed(1);
      const x = ((index + 0.5) * stepX).toFixed(1);
      return `M${x} ${height}V${top}`;
    })
    .join("");
}
