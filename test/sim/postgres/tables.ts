import type { Expression } from "./syntax.ts";

export type Values = Readonly<Record<string, unknown>>;

export interface Column {
  readonly type: string;
  readonly isNotNull: boolean;
  readonly fallback: Expression | null;
}

export interface Unique {
  readonly columns: readonly string[];
  /** Of a partial index. */
  readonly where: Expression | null;
}

/** A row with its committed values, and those of the transaction that has it locked. */
export class Row {
  /** Null: not there, for others than the owner. */
  values: Values | null;
  owner: Transaction | null = null;
  /** What the owner sees. Null: it has deleted the row. */
  draft: Values | null = null;
  isChanged = false;
  readonly sharers = new Set<Transaction>();

  constructor(values: Values | null) {
    this.values = values;
  }

  seenBy(transaction: Transaction): Values | null {
    return this.owner === transaction && this.isChanged ? this.draft : this.values;
  }
}

/** What happens to a row when the row that it refers to is deleted. */
export interface Reference {
  readonly column: string;
  readonly table: string;
  readonly onDelete: "set null" | "cascade" | null;
}

export interface Trigger {
  readonly name: string;
  readonly timing: "before" | "after";
  readonly events: readonly string[];
  readonly calls: string;
}

export class Table {
  readonly name: string;
  readonly columns = new Map<string, Column>();
  readonly uniques: Unique[] = [];
  readonly triggers: Trigger[] = [];
  /** To the `id` of other tables. */
  readonly references: Reference[] = [];
  rows: Row[] = [];

  constructor(name: string) {
    this.name = name;
  }
}

/** Thrown by a statement that has to wait for others. It is undone and tried again when one of them ends. */
export class Wait {
  /** The sessions that hold what it waits for. */
  readonly holders: ReadonlySet<number>;

  constructor(holders: Iterable<number>) {
    this.holders = new Set(holders);
  }
}

/** An error of a statement, as `pg` reports it. */
export class StatementFailed extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** What one transaction has changed and locked. A session without a transaction makes one for each statement. */
export class Transaction {
  /** The session that it belongs to. */
  readonly session: number;
  readonly startedAt: number;
  readonly #locked: Row[] = [];
  readonly #undo: (() => void)[] = [];
  readonly notifications: { readonly channel: string; readonly payload: string }[] = [];

  constructor(session: number, startedAt: number) {
    this.session = session;
    this.startedAt = startedAt;
  }

  lock(row: Row, mode: "update" | "share"): void {
    const others = [...row.sharers].filter((one) => one !== this);
    if (row.owner !== null && row.owner !== this) throw new Wait([row.owner.session]);
    if (mode === "share") {
      if (row.sharers.has(this)) return;
      row.sharers.add(this);
      this.#undo.push(() => row.sharers.delete(this));
      this.#locked.push(row);
      return;
    }
    if (others.length > 0) throw new Wait(others.map(({ session }) => session));
    if (row.owner === this) return;
    row.owner = this;
    this.#undo.push(() => {
      row.owner = null;
    });
    this.#locked.push(row);
  }

  change(row: Row, values: Values | null): void {
    this.lock(row, "update");
    const { draft, isChanged } = row;
    row.draft = values;
    row.isChanged = true;
    this.#undo.push(() => Object.assign(row, { draft, isChanged }));
  }

  insert(table: Table, values: Values): Row {
    const row = new Row(null);
    table.rows.push(row);
    this.#undo.push(() => {
      table.rows = table.rows.filter((one) => one !== row);
    });
    this.change(row, values);
    return row;
  }

  /** Whether it has changed rows of a table. */
  hasChanged({ rows }: Table): boolean {
    return this.#locked.some((row) => row.isChanged && row.owner === this && rows.includes(row));
  }

  /** A point to undo back to. */
  mark(): number {
    return this.#undo.length;
  }

  undoTo(mark: number): void {
    while (this.#undo.length > mark) this.#undo.pop()?.();
  }

  commit(tables: Iterable<Table>): void {
    let hasDeleted = false;
    for (const row of this.#locked) {
      if (row.owner === this) {
        if (row.isChanged) {
          row.values = row.draft;
          hasDeleted ||= row.draft === null;
        }
        Object.assign(row, { owner: null, draft: null, isChanged: false });
      }
      row.sharers.delete(this);
    }
    if (hasDeleted)
      for (const table of tables) table.rows = table.rows.filter((row) => row.values !== null || row.owner !== null);
    this.#undo.length = 0;
  }

  rollback(): void {
    this.undoTo(0);
    for (const row of this.#locked) row.sharers.delete(this);
  }
}
