import { castTo, compare, isTrue } from "./values.ts";
import type { Expression, Select } from "./syntax.ts";
import type { Values } from "./tables.ts";

/** The rows that names in an expression refer to, by their table's alias. */
export interface Scope {
  readonly tables: ReadonlyMap<string, Values>;
  readonly outer: Scope | null;
}

/** What evaluates an expression needs of the statement that it is part of. */
export interface Context {
  readonly parameters: readonly unknown[];
  /** The rows of a query within this one. */
  readonly rowsOf: (query: Select, scope: Scope) => readonly Values[];
  readonly call: (name: string, args: readonly unknown[]) => unknown;
}

export function evaluate(expression: Expression, scope: Scope, context: Context): unknown {
  const valueOf = (one: Expression) => evaluate(one, scope, context);
  switch (expression.kind) {
    case "literal":
      return expression.value;
    case "parameter":
      return context.parameters[expression.at] ?? null;
    case "column":
      return columnOf(expression, scope);
    case "row":
      return expression.items.map(valueOf);
    case "not": {
      const value = valueOf(expression.of);
      return value === null ? null : !isTrue(value);
    }
    case "minus":
      return -Number(valueOf(expression.of));
    case "is_null":
      return (valueOf(expression.of) === null) !== expression.isNegated;
    case "in": {
      const value = valueOf(expression.of);
      return expression.list.some((one) => compare(value, valueOf(one)) === 0) !== expression.isNegated;
    }
    case "in_query": {
      const value = valueOf(expression.of);
      const found = context.rowsOf(expression.query, scope).some((row) => {
        const values = Object.values(row);
        return compare(value, Array.isArray(value) ? values : values[0]) === 0;
      });
      return found !== expression.isNegated;
    }
    case "any": {
      const list = valueOf(expression.list);
      const value = valueOf(expression.of);
      return Array.isArray(list) && list.some((one) => compare(value, one) === 0);
    }
    case "cast":
      return castTo(valueOf(expression.of), expression.type);
    case "case": {
      const branch = expression.branches.find(([condition]) => isTrue(valueOf(condition)));
      if (branch !== undefined) return valueOf(branch[1]);
      return expression.otherwise === null ? null : valueOf(expression.otherwise);
    }
    case "query": {
      const [first] = context.rowsOf(expression.query, scope);
      return first === undefined ? null : (Object.values(first)[0] ?? null);
    }
    case "exists":
      return context.rowsOf(expression.query, scope).length > 0;
    case "call":
      return context.call(expression.name, expression.args.map(valueOf));
    case "operator":
      return operate(expression, valueOf);
    default:
      return expression satisfies never;
  }
}

function columnOf({ table, name }: Extract<Expression, { kind: "column" }>, scope: Scope): unknown {
  for (let at: Scope | null = scope; at !== null; at = at.outer) {
    if (table !== null) {
      const row = at.tables.get(table);
      if (row !== undefined) return known(row, name);
      continue;
    }
    for (const [alias, row] of at.tables) {
      if (name in row) return row[name] ?? null;
      // A function's only column may have the name of its alias.
      if (alias === name) return row;
    }
  }
  throw new Error(`the model of PostgreSQL has no column ${table === null ? "" : `${table}.`}${name}`);
}

function known(row: Values, name: string): unknown {
  if (!(name in row)) throw new Error(`the model of PostgreSQL has no column ${name}`);
  return row[name] ?? null;
}

function operate(
  { name, left, right }: Extract<Expression, { kind: "operator" }>,
  valueOf: (one: Expression) => unknown,
): unknown {
  const one = valueOf(left);
  if (name === "and")
    return isTrue(one) ? valueOf(right) : one === null ? (isTrue(valueOf(right)) ? null : false) : false;
  if (name === "or") return isTrue(one) ? true : isTrue(valueOf(right)) ? true : one === null ? null : false;
  const other = valueOf(right);
  if (name === "is distinct from") return one === null || other === null ? one !== other : compare(one, other) !== 0;
  if (one === null || other === null) return null;
  switch (name) {
    case "=":
      return compare(one, other) === 0;
    case "<>":
    case "!=":
      return compare(one, other) !== 0;
    case "<":
      return compare(one, other) < 0;
    case ">":
      return compare(one, other) > 0;
    case "<=":
      return compare(one, other) <= 0;
    case ">=":
      return compare(one, other) >= 0;
    case "+":
      return sum(one, other, 1);
    case "-":
      return sum(one, other, -1);
    case "||":
      return `${String(one)}${String(other)}`;
    case "->>": {
      const value = (one as Values)[String(other)] ?? null;
      return value === null ? null : typeof value === "string" ? value : JSON.stringify(value);
    }
    case "->":
      return (one as Values)[String(other)] ?? null;
    default:
      throw new Error(`the model of PostgreSQL has no operator ${name}`);
  }
}

/** Intervals are milliseconds. */
function sum(one: unknown, other: unknown, sign: 1 | -1): unknown {
  if (one instanceof Date) return new Date(one.getTime() + sign * Number(other));
  if (one === Infinity || one === -Infinity) return one;
  return Number(one) + sign * Number(other);
}
