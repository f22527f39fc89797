import { useEffect, useRef } from "preact/hooks";
import { moveBetweenRows } from "../../parts/table.tsx";
import { now } from "../../parts/time.tsx";
import { setQuery } from "../../routing/address.ts";
import { ROW_HEIGHT, useVirtualWindow } from "../fleet/virtual-window.ts";
import { formatMs } from "./format-ms.ts";
import type { TurnRow } from "./turn-rows.ts";

interface WaterfallProps {
  readonly rows: readonly TurnRow[];
  readonly fromMs: number;
  /** Null while the turn lasts. */
  readonly toMs: number | null;
  readonly selected: string;
}

/** What happened when. Only the rows near the visible part are drawn, so that ten thousand scroll as ten do. */
export const Waterfall = ({ rows, fromMs, toMs, selected }: WaterfallProps) => {
  const box = useRef<HTMLDivElement>(null);
  const { first, end } = useVirtualWindow(box, rows.length);
  const endMs = toMs ?? Math.max(now.value, rows.at(-1)?.fromMs ?? 0);
  const span = Math.max(1, endMs - fromMs);
  const linked = useRef(selected);
  const at = rows.findIndex(({ key }) => key === linked.current);
  useEffect(() => {
    // The row of the link that was opened, when it has been read.
    if (at < 0 || box.current === null) return;
    box.current.scrollTop = Math.max(0, at * ROW_HEIGHT - box.current.clientHeight / 2);
    linked.current = "";
  }, [at >= 0]);
  return (
    <div
      ref={box}
      class="table-scroll waterfall"
      role="region"
      aria-label="What happened when"
      tabIndex={0}
      onKeyDown={moveBetweenRows}
    >
      <table aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">What</th>
            <th scope="col" class="extra note">
              Content
            </th>
            <th scope="col" class="number">
              Time
            </th>
            <th scope="col" class="bar">
              <span class="bar-scale">
                <span>0</span>
                <span>{formatMs(span)}</span>
              </span>
            </th>
          </tr>
        </thead>
        <tbody>
          {first > 0 && <Spacer rows={first} />}
          {rows.slice(first, end).map((row, index) => (
            <tr key={row.key} aria-rowindex={first + index + 2} class={row.key === selected ? "selected" : ""}>
              <td>
                <button
                  type="button"
                  class={`row-button ${row.kind}${row.failed ? " failed" : ""}`}
                  aria-pressed={row.key === selected}
                  onClick={() => setQuery({ at: row.key })}
                >
                  <span class="dot" aria-hidden="true" />
                  {row.label}
                </button>
              </td>
              <td class="extra note" title={row.note}>
                <bdi class="dim">{row.note}</bdi>
              </td>
              <td class="number">{formatMs((row.toMs ?? endMs) - row.fromMs)}</td>
              <td class="bar">
                <span
                  class={`span ${row.kind}${row.failed ? " failed" : ""}`}
                  style={{
                    marginInlineStart: `${(Math.max(0, row.fromMs - fromMs) / span) * 100}%`,
                    width: `${(((row.toMs ?? endMs) - row.fromMs) / span) * 100}%`,
                  }}
                />
              </td>
            </tr>
          ))}
          {end < rows.length && <Spacer rows={rows.length - end} />}
        </tbody>
      </table>
    </div>
  );
};

const Spacer = ({ rows }: { readonly rows: number }) => (
  <tr class="spacer" aria-hidden="true">
    <td colSpan={4} style={{ height: `${rows * ROW_HEIGHT}px` }} />
  </tr>
);
