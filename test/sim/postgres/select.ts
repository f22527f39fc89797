import { type Context, type Scope, evaluate } from "./evaluate.ts";
import { compare, isTrue, shown } from "./values.ts";
import type { Expression, Item, Order, Select, Source } from "./syntax.ts";
import { type Row, type Table, type Transaction, type Values, Wait } from "./tables.ts";

/** What a statement works on. */
export interface Execution {
  readonly transaction: Transaction;
  readonly tables: ReadonlyMap<string, Table>;
  /** The results of its `with`. */
  readonly named: Map<string, readonly Values[]>;
  readonly context: Context;
  /** The rows of a function that is used as a table. */
  readonly callTable: (name: string, args: readonly unknown[], columns: readonly string[]) => readonly Values[];
}

/** One combination of the rows of all sources. */
interface Found {
  readonly scope: Scope;
  /** Of the tables, for a lock. */
  readonly rows: readonly Row[];
}

const AGGREGATES = new Set(["count", "max", "min", "sum", "json_agg", "jsonb_object_agg", "bool_or"]);

export function select(execution: Execution, query: Select, outer: Scope | null = null): readonly Values[] {
  const { context } = execution;
  const found = combinations(execution, query, outer).filter(({ scope }) => isWanted(query.where, scope, context));
  const isGrouped =
    query.groupBy.length > 0 || query.items.some(({ expression }) => expression !== null && hasAggregate(expression));
  if (isGrouped) return grouped(execution, query, found, outer);
  const ordered = inOrder(found, query.orderBy, ({ scope }, by) => evaluate(by, scope, context));
  const limited = limitedTo(execution, query, ordered, outer);
  const rows = limited.map(({ scope }) => project(execution, query.items, scope));
  return query.isDistinct ? distinct(rows) : rows;
}

/** The values of a `select` list or of `returning`. */
export function project(execution: Execution, items: readonly Item[], scope: Scope): Values {
  const values: Record<string, unknown> = {};
  for (const { expression, of, as } of items) {
    if (expression !== null) {
      const value = evaluate(expression, scope, execution.context);
      values[as] = shown(value, typeOf(execution, expression, scope));
      continue;
    }
    for (const [alias, row] of scope.tables) {
      if (of !== null && of !== alias) continue;
      const columns = execution.tables.get(alias)?.columns;
      for (const [name, value] of Object.entries(row)) values[name] = shown(value, columns?.get(name)?.type);
    }
  }
  return values;
}

/** Of a column of a table whose alias is its name: `bigint` is shown as text. */
function typeOf({ tables }: Execution, expression: Expression, scope: Scope): string | undefined {
  if (expression.kind !== "column") return undefined;
  const aliases = expression.table === null ? [...scope.tables.keys()] : [expression.table];
  return aliases
    .map((alias) => tables.get(alias)?.columns.get(expression.name)?.type)
    .find((type) => type !== undefined);
}

const isWanted = (where: Expression | null, scope: Scope, context: Context): boolean =>
  where === null || isTrue(evaluate(where, scope, context));

function combinations(execution: Execution, query: Select, outer: Scope | null): readonly Found[] {
  const start: Found = { scope: { tables: new Map(), outer }, rows: [] };
  if (query.from === null) return [start];
  let found = joined(execution, [start], query.from);
  for (const { kind, source, on } of query.joins) {
    const all = found.map((one) => {
      const matches = joined(execution, [one], source).filter(({ scope }) => isWanted(on, scope, execution.context));
      return matches.length === 0 && kind === "left" ? [withNulls(execution, one, source)] : matches;
    });
    found = all.flat();
  }
  return found;
}

function joined(execution: Execution, found: readonly Found[], source: Source): readonly Found[] {
  return found.flatMap((one) =>
    rowsOf(execution, source, one.scope).map(({ values, row }) => extended(one, source, values, row)),
  );
}

const extended = ({ scope, rows }: Found, { alias }: Source, values: Values, row: Row | null): Found => ({
  scope: { tables: new Map([...scope.tables, [alias, values]]), outer: scope.outer },
  rows: row === null ? rows : [...rows, row],
});

function withNulls({ tables }: Execution, one: Found, source: Source): Found {
  const columns = source.kind === "table" ? [...(tables.get(source.name)?.columns.keys() ?? [])] : [];
  return extended(one, source, Object.fromEntries(columns.map((name) => [name, null])), null);
}

export function rowsOf(
  execution: Execution,
  source: Source,
  scope: Scope,
): readonly { readonly values: Values; readonly row: Row | null }[] {
  if (source.kind === "query") return select(execution, source.query, scope).map((values) => ({ values, row: null }));
  if (source.kind === "function") {
    const args = source.args.map((one) => evaluate(one, scope, execution.context));
    return execution.callTable(source.name, args, source.columns).map((values) => ({ values, row: null }));
  }
  const named = execution.named.get(source.name);
  if (named !== undefined) return named.map((values) => ({ values, row: null }));
  return tableOf(execution, source.name).rows.flatMap((row) => {
    const values = row.seenBy(execution.transaction);
    return values === null ? [] : [{ values, row }];
  });
}

export function tableOf({ tables }: Execution, name: string): Table {
  const table = tables.get(name);
  if (table === undefined) throw new Error(`the model of PostgreSQL has no table ${name}`);
  return table;
}

/** The first rows, which are locked. With `skip locked` those of others are left out. */
function limitedTo(
  execution: Execution,
  { limit, lock, skipsLocked }: Select,
  found: readonly Found[],
  outer: Scope | null,
): readonly Found[] {
  const most = limit === null ? Infinity : Number(evaluate(limit, { tables: new Map(), outer }, execution.context));
  const taken: Found[] = [];
  for (const one of found) {
    if (taken.length >= most) break;
    try {
      if (lock !== null) for (const row of one.rows) execution.transaction.lock(row, lock);
      taken.push(one);
    } catch (error) {
      if (!skipsLocked || !(error instanceof Wait)) throw error;
    }
  }
  return taken;
}

function inOrder<T>(
  all: readonly T[],
  orderBy: readonly Order[],
  valueOf: (one: T, by: Expression) => unknown,
): readonly T[] {
  if (orderBy.length === 0) return all;
  return all.toSorted((one, other) => {
    for (const { by, isDescending, nullsLast } of orderBy) {
      const [left, right] = [valueOf(one, by), valueOf(other, by)];
      const nulls = Number(left === null) - Number(right === null);
      if (nulls !== 0) return (nullsLast ?? !isDescending) ? nulls : -nulls;
      const order = left === null ? 0 : compare(left, right);
      if (order !== 0) return isDescending ? -order : order;
    }
    return 0;
  });
}

function distinct(rows: readonly Values[]): readonly Values[] {
  return [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()];
}

function hasAggregate(expression: Expression): boolean {
  switch (expression.kind) {
    case "call":
      return AGGREGATES.has(expression.name) || expression.args.some(hasAggregate);
    case "cast":
    case "not":
    case "minus":
    case "is_null":
      return hasAggregate(expression.of);
    case "operator":
      return hasAggregate(expression.left) || hasAggregate(expression.right);
    default:
      return false;
  }
}

function grouped(execution: Execution, query: Select, found: readonly Found[], outer: Scope | null): readonly Values[] {
  const { context } = execution;
  const keyOf = ({ scope }: Found) =>
    JSON.stringify(query.groupBy.map((by) => evaluate(resolved(query, by), scope, context)));
  const groups = [...Map.groupBy(found, keyOf).values()];
  // Without `group by` there is one group, which may be empty.
  const all = query.groupBy.length === 0 ? [found] : groups;
  const rows = all.map((group) => {
    const scope = group[0]?.scope ?? { tables: new Map(), outer };
    return Object.fromEntries(
      query.items.map(({ expression, as }) => [
        as,
        expression === null ? null : ofGroup(execution, expression, group, scope),
      ]),
    );
  });
  return inOrder(rows, query.orderBy, (row, by) => (by.kind === "column" ? (row[by.name] ?? null) : null));
}

/** `group by` may name an item of the list. */
function resolved(query: Select, by: Expression): Expression {
  if (by.kind !== "column" || by.table !== null) return by;
  return query.items.find(({ as }) => as === by.name)?.expression ?? by;
}

/** Aggregates are replaced by their values, then the expression is evaluated on the group's first row. */
function ofGroup(execution: Execution, expression: Expression, group: readonly Found[], scope: Scope): unknown {
  const replaced = (one: Expression): Expression => {
    if (one.kind === "call" && AGGREGATES.has(one.name))
      return { kind: "literal", value: aggregate(execution, one, group) };
    if (one.kind === "call") return { ...one, args: one.args.map(replaced) };
    if (one.kind === "cast") return { ...one, of: replaced(one.of) };
    if (one.kind === "operator") return { ...one, left: replaced(one.left), right: replaced(one.right) };
    return one;
  };
  return evaluate(replaced(expression), scope, execution.context);
}

function aggregate(
  { context }: Execution,
  { name, args, isStar, filter }: Extract<Expression, { kind: "call" }>,
  group: readonly Found[],
): unknown {
  const wanted = group.filter(({ scope }) => isWanted(filter, scope, context));
  if (isStar) return wanted.length;
  const rows = wanted.map(({ scope }) => args.map((one) => evaluate(one, scope, context)));
  const values = rows.map(([value]) => value).filter((value) => value !== null);
  switch (name) {
    case "count":
      return values.length;
    case "max":
    case "min": {
      const sorted = values.toSorted((one, other) => compare(one, other));
      return (name === "max" ? sorted.at(-1) : sorted[0]) ?? null;
    }
    case "sum":
      return values.length === 0 ? null : values.reduce<number>((total, value) => total + Number(value), 0);
    case "json_agg":
      return values.length === 0 ? null : values;
    case "jsonb_object_agg":
      return rows.length === 0 ? null : Object.fromEntries(rows.map(([key, value]) => [String(key), value]));
    default:
      throw new Error(`the model of PostgreSQL has no aggregate ${name}`);
  }
}
