import { useState } from "preact/hooks";
import { type Points, linePath, niceCeiling } from "./plot-scale.ts";
import { useWidth } from "./use-width.ts";

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
  const { box, width } = useWidth(240);
  const [at, setAt] = useState<number | null>(null);
  const known = points.filter((value) => value !== null);
  const max = Math.max(niceCeiling(known.reduce((largest, value) => Math.max(largest, value), 0)), least);
  const newest = points.at(-1) ?? points.at(-2) ?? null;
  const shown = at === null ? newest : (points[at] ?? null);
  const scale = { width, height: HEIGHT, max };
  const last = points.length - 1;
  const move = (to: number) => setAt(Math.max(0, Math.min(last, Math.round(to))));
  const timeOf = (index: number) => CLOCK.format(fromMs + index * intervalMs);
  return (
    <figure class="plot">
      <figcaption>
        <span>{title}</span>
        <output>
          {shown === null ? "–" : format(shown)}
          {at !== null && <span class="dim"> {timeOf(at)}</span>}
        </output>
      </figcaption>
      <div
        ref={box}
        class="plot-area"
        role="img"
        tabIndex={0}
        aria-label={`${title} since ${timeOf(0)}: now ${newest === null ? "nothing" : format(newest)}, at most ${format(Math.max(0, ...known))}`}
        onPointerMove={(event) => move((event.offsetX / width) * last)}
        onPointerLeave={() => setAt(null)}
        onBlur={() => setAt(null)}
        onKeyDown={(event) => {
          if (event.key === "ArrowLeft") move((at ?? last) - 1);
          else if (event.key === "ArrowRight") move((at ?? last) + 1);
          else return;
          event.preventDefault();
        }}
      >
        <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} aria-hidden="true">
          <line class="grid" x1="0" x2={width} y1="0.5" y2="0.5" />
          <line class="grid" x1="0" x2={width} y1={HEIGHT / 2} y2={HEIGHT / 2} />
          <line class="axis" x1="0" x2={width} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
          {kind === "count" ? (
            <path class="bars" d={barPath(points, scale)} />
          ) : (
            <path class="line" d={linePath(points, scale)} />
          )}
          {at !== null && (
            <line
              class="cursor"
              x1={(at / Math.max(1, last)) * width}
              x2={(at / Math.max(1, last)) * width}
              y1="0"
              y2={HEIGHT}
            />
          )}
        </svg>
        <span class="plot-max">{format(max)}</span>
      </div>
      <div class="plot-times" aria-hidden="true">
        <span>{timeOf(0)}</span>
        <span>{timeOf(last)}</span>
      </div>
    </figure>
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
