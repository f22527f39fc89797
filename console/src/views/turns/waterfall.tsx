import { useEffect, useRef } from "preact/hooks";
import { now } from "../../parts/time.tsx";
import { setQuery } from "../../routing/address.ts";
import { VirtualTable } from "../../parts/virtual-table.tsx";
import { ROW_HEIGHT } from "../../parts/virtual-window.ts";
import { formatMs } from "./format-ms.ts";
import type { TurnRow } from "./turn-rows.ts";

interface WaterfallProps {
  readonly rows: readonly TurnRow[];
  readonly fromMs: number;
  /** Null while the turn lasts. */
  readonly toMs: number | null;
  readonly selected: string;
}

/** What happened when. */
export const Waterfall = ({ rows, fromMs, toMs, selected }: WaterfallProps) => {
  const box = useRef<HTMLDivElement>(null);
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
    <VirtualTable
      label="What happened when"
      class="waterfall"
      box={box}
      columns={4}
      rows={rows}
      head={
        <>
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
        </>
      }
    >
      {(row, position) => (
        <tr key={row.key} aria-rowindex={position} class={row.key === selected ? "selected" : ""}>
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
      )}
    </VirtualTable>
  );
};
