import type { ComponentChildren } from "preact";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly kind?: "number" | "wide" | "actions";
  /** Left out where the page is narrow. */
  readonly isExtra?: boolean;
  /** Left out where the page is narrow, and on a tablet. */
  readonly isRare?: boolean;
}

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
}

export const cellClass = ({ kind, isExtra, isRare }: Pick<Column<never>, "kind" | "isExtra" | "isRare">): string =>
  [kind, isExtra === true ? "extra" : undefined, isRare === true ? "rare" : undefined]
    .filter((name) => name !== undefined)
    .join(" ");

/** A table of a few hundred rows. The fleet has one of its own. */
export function Table<Row>({ label, columns, rows, keyOf }: TableProps<Row>) {
  return (
    <div class="table-scroll" role="region" aria-label={label} tabIndex={0} onKeyDown={moveBetweenRows}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={cellClass(column)}>
                {column.kind === "actions" ? <span class="sr-only">{column.title}</span> : column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.title} class={cellClass(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Arrow keys move the focus to the link of the row above or below. */
export function moveBetweenRows(event: KeyboardEvent): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  if (!(event.target instanceof HTMLElement) || event.target.matches("input, select, textarea")) return;
  const row = event.target.closest("tr");
  const next = row === null ? null : event.key === "ArrowDown" ? row.nextElementSibling : row.previousElementSibling;
  const link = next?.querySelector<HTMLElement>("a, button");
  if (link === null || link === undefined) return;
  event.preventDefault();
  link.focus();
}
