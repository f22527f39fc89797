import { useState } from "preact/hooks";
import { niceCeiling } from "../../parts/plot-scale.ts";
import { useWidth } from "../../parts/use-width.ts";

export interface DayValue {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly value: number;
}

interface CostChartProps {
  readonly title: string;
  readonly days: readonly DayValue[];
  readonly format: (value: number) => string;
}

const HEIGHT = 140;
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const dayText = (day: string): string => DAY.format(Date.parse(`${day}T00:00:00Z`));

/** A bar for each day. The arrow keys and the pointer read its value; the table below has them all. */
export const CostChart = ({ title, days, format }: CostChartProps) => {
  const { box, width } = useWidth(600);
  const [at, setAt] = useState<number | null>(null);
  const max = niceCeiling(Math.max(0, ...days.map(({ value }) => value)));
  const total = days.reduce((sum, { value }) => sum + value, 0);
  const step = width / Math.max(1, days.length);
  const last = days.length - 1;
  const move = (to: number) => setAt(Math.max(0, Math.min(last, to)));
  const shown = at === null ? undefined : days[at];
  return (
    <figure class="plot cost-chart">
      <figcaption>
        <span>{title}</span>
        <output>
          {shown === undefined ? format(total) : format(shown.value)}
          <span class="dim"> {shown === undefined ? "in all" : dayText(shown.day)}</span>
        </output>
      </figcaption>
      <div
        ref={box}
        class="plot-area"
        role="img"
        tabIndex={0}
        aria-label={`${title} by day: ${format(total)} in all. The table by day has each value.`}
        onPointerMove={(event) => move(Math.floor(event.offsetX / step))}
        onPointerLeave={() => setAt(null)}
        onBlur={() => setAt(null)}
        onKeyDown={(event) => {
          if (event.key === "ArrowLeft") move((at ?? days.length) - 1);
          else if (event.key === "ArrowRight") move((at ?? -1) + 1);
          else return;
          event.preventDefault();
        }}
      >
        <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} aria-hidden="true">
          <line class="grid" x1="0" x2={width} y1="0.5" y2="0.5" />
          <line class="grid" x1="0" x2={width} y1={HEIGHT / 2} y2={HEIGHT / 2} />
          <line class="axis" x1="0" x2={width} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
          {days.map(({ day, value }, index) => {
            const height = max === 0 ? 0 : (value / max) * (HEIGHT - 1);
            return (
              <rect
                key={day}
                class={index === at ? "bar chosen" : "bar"}
                x={index * step + step * 0.15}
                width={Math.max(1, step * 0.7)}
                y={HEIGHT - 1 - height}
                height={height}
              />
            );
          })}
        </svg>
        <span class="plot-max">{format(max)}</span>
      </div>
      <div class="plot-times" aria-hidden="true">
        <span>{days[0] === undefined ? "" : dayText(days[0].day)}</span>
        <span>{days[last] === undefined ? "" : dayText(days[last].day)}</span>
      </div>
    </figure>
  );
};
