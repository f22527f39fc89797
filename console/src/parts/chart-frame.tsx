import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useWidth } from "./use-width.ts";

export interface Chart extends ReturnType<typeof useWidth> {
  /** The position that is read, by the pointer or the arrow keys. */
  readonly at: number | null;
  readonly moveTo: (position: number | null) => void;
  readonly count: number;
}

/** What a chart of `count` positions needs to be drawn and read. */
export function useChart(count: number, initialWidth: number): Chart {
  const [at, setAt] = useState<number | null>(null);
  const moveTo = (position: number | null) =>
    setAt(position === null ? null : Math.max(0, Math.min(count - 1, position)));
  return { ...useWidth(initialWidth), at: at === null || at >= count ? null : at, moveTo, count };
}

interface FrameProps {
  readonly chart: Chart;
  readonly class?: string;
  readonly title: string;
  /** The value at the position that is read, or the newest, or all together. */
  readonly value: string;
  /** What the value is of. */
  readonly of: string | null;
  /** The whole chart in words. */
  readonly label: string;
  readonly height: number;
  readonly max: string;
  readonly from: string;
  readonly to: string;
  /** The position at a distance from the left, as a share of the width. */
  readonly positionAt: (share: number) => number;
  /** What is drawn, as parts of an SVG image. */
  readonly children: ComponentChildren;
}

/** Title, value, grid and ends of a chart, which the pointer and the arrow keys read. */
export const ChartFrame = ({ chart, title, value, of, label, height, max, from, to, ...props }: FrameProps) => {
  const { box, width, at, moveTo, count } = chart;
  return (
    <figure class={`plot ${props.class ?? ""}`}>
      <figcaption>
        <span>{title}</span>
        <output>
          {value}
          {of !== null && <span class="dim"> {of}</span>}
        </output>
      </figcaption>
      <div
        ref={box}
        class="plot-area"
        style={{ height: `${height + 16}px` }}
        role="img"
        tabIndex={0}
        aria-label={label}
        onPointerMove={(event) => moveTo(props.positionAt(event.offsetX / width))}
        onPointerLeave={() => moveTo(null)}
        onBlur={() => moveTo(null)}
        onKeyDown={(event) => {
          if (event.key === "ArrowLeft") moveTo((at ?? count) - 1);
          else if (event.key === "ArrowRight") moveTo((at ?? -1) + 1);
          else return;
          event.preventDefault();
        }}
      >
        <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          <line class="grid" x1="0" x2={width} y1="0.5" y2="0.5" />
          <line class="grid" x1="0" x2={width} y1={height / 2} y2={height / 2} />
          <line class="axis" x1="0" x2={width} y1={height - 0.5} y2={height - 0.5} />
          {props.children}
        </svg>
        <span class="plot-max">{max}</span>
      </div>
      <div class="plot-times" aria-hidden="true">
        <span>{from}</span>
        <span>{to}</span>
      </div>
    </figure>
  );
};
