import type { ComponentChildren, RefObject } from "preact";
import { useRef } from "preact/hooks";
import { moveBetweenRows } from "./table.tsx";
import { ROW_HEIGHT, useVirtualWindow } from "./virtual-window.ts";

interface VirtualTableProps<Row> {
  readonly label: string;
  readonly class: string;
  /** The scrolled box. Left out: one of its own. */
  readonly box?: RefObject<HTMLDivElement | null>;
  readonly columns: number;
  /** In CSS pixels, as in the style sheet. Left out: that of a row of one line. */
  readonly rowHeight?: number;
  /** The cells of the head. */
  readonly head: ComponentChildren;
  readonly rows: readonly Row[];
  /** Draws a row. `position`: its `aria-rowindex`. */
  readonly children: (row: Row, position: number) => ComponentChildren;
}

/** Draws only the rows near the visible ones, so that ten thousand scroll as ten do. */
export const VirtualTable = <Row,>({
  label,
  class: name,
  box: given,
  columns,
  rowHeight = ROW_HEIGHT,
  head,
  rows,
  children,
}: VirtualTableProps<Row>) => {
  const own = useRef<HTMLDivElement>(null);
  const box = given ?? own;
  const { first, end } = useVirtualWindow(box, rows.length, rowHeight);
  return (
    <div
      ref={box}
      class={`table-scroll ${name}`}
      role="region"
      aria-label={label}
      tabIndex={0}
      onKeyDown={moveBetweenRows}
    >
      <table aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>{head}</tr>
        </thead>
        <tbody>
          <Spacer height={first * rowHeight} columns={columns} />
          {rows.slice(first, end).map((row, index) => children(row, first + index + 2))}
          <Spacer height={(rows.length - end) * rowHeight} columns={columns} />
        </tbody>
      </table>
    </div>
  );
};

const Spacer = ({ height, columns }: { readonly height: number; readonly columns: number }) =>
  height > 0 ? (
    <tr class="spacer" aria-hidden="true">
      <td colSpan={columns} style={{ height: `${height}px` }} />
    </tr>
  ) : null;
