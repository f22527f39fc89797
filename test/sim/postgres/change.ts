import { type Scope, evaluate } from "./evaluate.ts";
import { type Execution, project, rowsOf, select, tableOf } from "./select.ts";
import type { Assignments, Delete, Insert, Update } from "./syntax.ts";
import { type Row, StatementFailed, type Table, type Unique, type Values } from "./tables.ts";
import { castTo, compare, isTrue } from "./values.ts";

const UNIQUE_VIOLATION = "23505";
const NOT_NULL_VIOLATION = "23502";

/** What the triggers of a table do. */
export interface Triggers {
  /** Before a statement on a table. */
  readonly before: (table: Table, event: string) => void;
  /** Before a row is written: what is written instead. */
  readonly row: (table: Table, event: string, values: Values, old: Values | null) => Values;
  /** After a statement that changed rows. */
  readonly after: (table: Table, event: string, changed: readonly Values[]) => void;
}

interface Changed {
  /** Of `returning`. */
  readonly rows: readonly Values[];
  readonly count: number;
}

export function insert(execution: Execution, statement: Insert, triggers: Triggers): Changed {
  const table = tableOf(execution, statement.table);
  triggers.before(table, "insert");
  const written: Values[] = [];
  for (const given of givenRows(execution, statement)) {
    const values = triggers.row(table, "insert", completed(execution, table, given), null);
    const conflicting = conflictOf(execution, table, values, null);
    if (conflicting === null) {
      execution.transaction.insert(table, values);
      written.push(values);
      continue;
    }
    const { conflict } = statement;
    if (conflict === null || !isExpected(conflict.columns, conflicting.unique))
      throw violation(table, conflicting.unique);
    if (conflict.set === null) continue;
    execution.transaction.lock(conflicting.row, "update");
    const old = conflicting.row.seenBy(execution.transaction);
    if (old === null) continue;
    const scope: Scope = {
      tables: new Map([
        [table.name, old],
        ["excluded", values],
      ]),
      outer: null,
    };
    if (conflict.where !== null && !isTrue(evaluate(conflict.where, scope, execution.context))) continue;
    written.push(write(execution, table, { row: conflicting.row, old, set: conflict.set, scope, triggers }));
  }
  triggers.after(table, "insert", written);
  return returned(execution, table, statement, written);
}

/** `on conflict` without columns, or with those of the constraint. */
const isExpected = (columns: readonly string[], unique: Unique): boolean =>
  columns.length === 0 ||
  (columns.length === unique.columns.length && columns.every((name) => unique.columns.includes(name)));

function givenRows(execution: Execution, { columns, rows }: Insert): readonly Values[] {
  if ("kind" in rows) {
    // By position, not by name.
    return select(execution, rows).map((row) => {
      const values = Object.values(row);
      return Object.fromEntries(columns.map((name, at) => [name, values[at]]));
    });
  }
  const scope: Scope = { tables: new Map(), outer: null };
  return rows.map((row) =>
    Object.fromEntries(
      columns.flatMap((name, at) => {
        const expression = row[at];
        const isDefault = expression?.kind === "column" && expression.name === "default";
        return expression === undefined || isDefault ? [] : [[name, evaluate(expression, scope, execution.context)]];
      }),
    ),
  );
}

function completed(execution: Execution, table: Table, given: Values): Values {
  const unknown = Object.keys(given).find((name) => !table.columns.has(name));
  if (unknown !== undefined) throw new Error(`the model of PostgreSQL has no column ${table.name}.${unknown}`);
  const scope: Scope = { tables: new Map(), outer: null };
  const values: Record<string, unknown> = {};
  for (const [name, { type, fallback }] of table.columns) {
    const isGiven = Object.hasOwn(given, name);
    const value = isGiven ? given[name] : fallback === null ? null : evaluate(fallback, scope, execution.context);
    values[name] = castTo(value, type);
  }
  return values;
}

export function update(execution: Execution, statement: Update, triggers: Triggers): Changed {
  const table = tableOf(execution, statement.table);
  triggers.before(table, "update");
  const scopes: { readonly row: Row; readonly scope: Scope }[] = [];
  for (const row of table.rows) {
    const values = row.seenBy(execution.transaction);
    if (values === null) continue;
    const own: Scope = { tables: new Map([[table.name, values]]), outer: null };
    const all = statement.from === null ? [own] : withSource(execution, statement.from, own);
    const wanted = all.find((scope) => isWanted(execution, statement, scope));
    if (wanted !== undefined) scopes.push({ row, scope: wanted });
  }
  // All locks before the first change: a wait undoes nothing.
  for (const { row } of scopes) execution.transaction.lock(row, "update");
  const written = scopes.map(({ row, scope }) => {
    const old = row.seenBy(execution.transaction) ?? {};
    return { scope, values: write(execution, table, { row, old, set: statement.set, scope, triggers }) };
  });
  triggers.after(
    table,
    "update",
    written.map(({ values }) => values),
  );
  const rows = written.map(({ scope, values }) =>
    project(execution, statement.returning, { ...scope, tables: new Map([...scope.tables, [table.name, values]]) }),
  );
  return { rows: statement.returning.length === 0 ? [] : rows, count: written.length };
}

const withSource = (execution: Execution, source: NonNullable<Update["from"]>, own: Scope): readonly Scope[] =>
  rowsOf(execution, source, own).map(({ values }) => ({
    tables: new Map([...own.tables, [source.alias, values]]),
    outer: null,
  }));

const isWanted = (execution: Execution, { where }: Update | Delete, scope: Scope): boolean =>
  where === null || isTrue(evaluate(where, scope, execution.context));

function write(
  execution: Execution,
  table: Table,
  {
    row,
    old,
    set,
    scope,
    triggers,
  }: {
    readonly row: Row;
    readonly old: Values;
    readonly set: Assignments;
    readonly scope: Scope;
    readonly triggers: Triggers;
  },
): Values {
  const changes = set.map(([name, expression]) => {
    const column = table.columns.get(name);
    if (column === undefined) throw new Error(`the model of PostgreSQL has no column ${table.name}.${name}`);
    return [name, castTo(evaluate(expression, scope, execution.context), column.type)] as const;
  });
  const values = triggers.row(table, "update", { ...old, ...Object.fromEntries(changes) }, old);
  const conflicting = conflictOf(execution, table, values, row);
  if (conflicting !== null) throw violation(table, conflicting.unique);
  execution.transaction.change(row, values);
  return values;
}

export function remove(execution: Execution, statement: Delete, triggers: Triggers): Changed {
  const table = tableOf(execution, statement.table);
  triggers.before(table, "delete");
  const removed: { readonly row: Row; readonly values: Values }[] = [];
  for (const row of table.rows) {
    const values = row.seenBy(execution.transaction);
    if (values === null) continue;
    const scope: Scope = { tables: new Map([[table.name, values]]), outer: null };
    if (isWanted(execution, statement, scope)) removed.push({ row, values });
  }
  for (const { row } of removed) execution.transaction.lock(row, "update");
  for (const { row, values } of removed) {
    execution.transaction.change(row, null);
    followReferences(execution, table, values, triggers);
  }
  const values = removed.map((one) => one.values);
  triggers.after(table, "delete", values);
  return returned(execution, table, statement, values);
}

/** What the rows do that refer to a deleted one. */
function followReferences(execution: Execution, deleted: Table, { id }: Values, triggers: Triggers): void {
  for (const table of execution.tables.values())
    for (const { column, table: target, onDelete } of table.references) {
      if (target !== deleted.name) continue;
      for (const row of table.rows) {
        const old = row.seenBy(execution.transaction);
        if (old === null || old[column] !== id) continue;
        if (onDelete === null) throw new StatementFailed("23503", `a row of ${table.name} refers to ${deleted.name}`);
        const values = onDelete === "cascade" ? null : triggers.row(table, "update", { ...old, [column]: null }, old);
        execution.transaction.change(row, values);
      }
    }
}

function returned(
  execution: Execution,
  table: Table,
  { returning }: Insert | Delete,
  rows: readonly Values[],
): Changed {
  const shown = rows.map((values) =>
    project(execution, returning, { tables: new Map([[table.name, values]]), outer: null }),
  );
  return { rows: returning.length === 0 ? [] : shown, count: rows.length };
}

/** The row that has the values of a unique constraint already. Waits for one that another transaction is changing. */
function conflictOf(
  execution: Execution,
  table: Table,
  values: Values,
  except: Row | null,
): { readonly row: Row; readonly unique: Unique } | null {
  for (const [name, { isNotNull }] of table.columns)
    if (isNotNull && values[name] === null)
      throw new StatementFailed(NOT_NULL_VIOLATION, `null value in column "${name}" of relation "${table.name}"`);
  for (const unique of table.uniques) {
    const wanted = unique.columns.map((name) => values[name]);
    if (wanted.some((value) => value === null) || !holds(execution, unique, values)) continue;
    const isSame = (other: Values | null) =>
      other !== null &&
      holds(execution, unique, other) &&
      compare(
        wanted,
        unique.columns.map((name) => other[name]),
      ) === 0;
    for (const row of table.rows) {
      if (row === except) continue;
      if (isSame(row.seenBy(execution.transaction))) {
        // It may be on its way out.
        if (row.owner !== null && row.owner !== execution.transaction) execution.transaction.lock(row, "update");
        return { row, unique };
      }
      const isOthers = row.owner !== null && row.owner !== execution.transaction && row.isChanged;
      if (isOthers && isSame(row.draft)) execution.transaction.lock(row, "update");
    }
  }
  return null;
}

const holds = (execution: Execution, { where }: Unique, values: Values): boolean =>
  where === null || isTrue(evaluate(where, { tables: new Map([["", values]]), outer: null }, execution.context));

const violation = (table: Table, { columns }: Unique): StatementFailed =>
  new StatementFailed(
    UNIQUE_VIOLATION,
    `duplicate key value violates the unique constraint of ${table.name} (${columns.join(", ")})`,
  );
