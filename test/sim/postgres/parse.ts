import { parseExpression } from "./parse-expression.ts";
import type {
  Assignments,
  Delete,
  Expression,
  Insert,
  Item,
  Join,
  Named,
  Order,
  Select,
  Source,
  Statement,
  Update,
} from "./syntax.ts";
import { TokenReader } from "./tokens.ts";

const parsed = new Map<string, Statement>();

/** Each text is read once: all runs of a process make the same statements. */
export function parseStatement(sql: string): Statement {
  const known = parsed.get(sql);
  if (known !== undefined) return known;
  const reader = new TokenReader(sql, parseSelect);
  const statement = parseAny(reader);
  reader.accept(";");
  if (!reader.isAtEnd()) reader.fail("the end");
  parsed.set(sql, statement);
  return statement;
}

function parseAny(reader: TokenReader): Statement {
  const named = parseWith(reader);
  if (reader.sees("select")) return parseSelect(reader, named);
  if (reader.accept("insert", "into")) return parseInsert(reader, named);
  if (reader.accept("update")) return parseUpdate(reader, named);
  if (reader.accept("delete", "from")) return parseDelete(reader, named);
  return reader.fail("a statement");
}

function parseWith(reader: TokenReader): readonly Named[] {
  const named: Named[] = [];
  if (!reader.accept("with")) return named;
  do {
    const name = reader.name();
    reader.expect("as", "(");
    named.push({ name, statement: parseAny(reader) });
    reader.expect(")");
  } while (reader.accept(","));
  return named;
}

export function parseSelect(reader: TokenReader, named: readonly Named[] = []): Select {
  reader.expect("select");
  const isDistinct = reader.accept("distinct");
  const items = reader.sees("from") ? [] : parseItems(reader);
  const from = reader.accept("from") ? parseSource(reader) : null;
  const joins = from === null ? [] : parseJoins(reader);
  const where = parseWhere(reader);
  const groupBy = reader.accept("group", "by") ? parseCommas(reader, parseExpression) : [];
  const orderBy = reader.accept("order", "by") ? parseCommas(reader, parseOrder) : [];
  const limit = reader.accept("limit") ? parseExpression(reader) : null;
  const lock = reader.accept("for", "update") ? "update" : reader.accept("for", "share") ? "share" : null;
  const skipsLocked = reader.accept("skip", "locked");
  const rest = { joins, where, groupBy, orderBy, limit, lock, skipsLocked } as const;
  return { kind: "select", with: named, isDistinct, items, from, ...rest };
}

function parseCommas<T>(reader: TokenReader, parse: (reader: TokenReader) => T): readonly T[] {
  const all: T[] = [];
  do all.push(parse(reader));
  while (reader.accept(","));
  return all;
}

const parseWhere = (reader: TokenReader): Expression | null =>
  reader.accept("where") ? parseExpression(reader) : null;

const parseItems = (reader: TokenReader): readonly Item[] => parseCommas(reader, parseItem);

function parseItem(reader: TokenReader): Item {
  if (reader.accept("*")) return { expression: null, of: null, as: "" };
  const [table, dot, star] = [reader.peek(), reader.peek(1), reader.peek(2)];
  if ((table.kind === "word" || table.kind === "quoted") && dot.value === "." && star.value === "*") {
    for (let token = 0; token < 3; token++) reader.next();
    return { expression: null, of: table.value, as: "" };
  }
  const expression = parseExpression(reader);
  const as = reader.accept("as") ? reader.name() : nameOf(expression);
  return { expression, of: null, as };
}

/** As PostgreSQL names a column without an alias. */
function nameOf(expression: Expression): string {
  if (expression.kind === "column") return expression.name;
  if (expression.kind === "call") return expression.name;
  if (expression.kind === "cast") return nameOf(expression.of);
  return "?column?";
}

function parseOrder(reader: TokenReader): Order {
  const by = parseExpression(reader);
  const isDescending = reader.accept("desc") || (reader.accept("asc") && false);
  const nullsLast = reader.accept("nulls", "last") ? true : reader.accept("nulls", "first") ? false : null;
  return { by, isDescending, nullsLast };
}

const CLAUSES = new Set([
  "where",
  "join",
  "inner",
  "left",
  "cross",
  "on",
  "using",
  "order",
  "group",
  "limit",
  "for",
  "set",
  "returning",
  "union",
]);

function parseAlias(reader: TokenReader, name: string): string {
  if (reader.accept("as")) return reader.name();
  const { kind, value } = reader.peek();
  return kind === "quoted" || (kind === "word" && !CLAUSES.has(value)) ? reader.name() : name;
}

function parseSource(reader: TokenReader): Source {
  if (reader.accept("(")) {
    const query = parseSelect(reader);
    reader.expect(")");
    return { kind: "query", query, alias: parseAlias(reader, "") };
  }
  const name = reader.name();
  if (!reader.sees("(")) return { kind: "table", name, alias: parseAlias(reader, name) };
  reader.expect("(");
  const args: Expression[] = [];
  if (!reader.accept(")")) {
    do args.push(parseExpression(reader));
    while (reader.accept(","));
    reader.expect(")");
  }
  const alias = parseAlias(reader, name);
  return { kind: "function", name, args, alias, columns: reader.accept("(") ? parseColumns(reader) : [alias] };
}

/** Names with or without their types, up to the closing bracket. */
function parseColumns(reader: TokenReader): readonly string[] {
  const columns: string[] = [];
  do {
    columns.push(reader.name());
    while (!reader.sees(",") && !reader.sees(")")) reader.next();
  } while (reader.accept(","));
  reader.expect(")");
  return columns;
}

function parseJoins(reader: TokenReader): readonly Join[] {
  const joins: Join[] = [];
  for (;;) {
    const kind = reader.accept("left", "join")
      ? "left"
      : reader.accept("cross", "join") || reader.accept(",")
        ? "cross"
        : reader.accept("inner", "join") || reader.accept("join")
          ? "inner"
          : null;
    if (kind === null) return joins;
    const source = parseSource(reader);
    joins.push({ kind, source, on: reader.accept("on") ? parseExpression(reader) : null });
  }
}

const parseReturning = (reader: TokenReader): readonly Item[] => (reader.accept("returning") ? parseItems(reader) : []);

function parseNames(reader: TokenReader): readonly string[] {
  reader.expect("(");
  const names = parseCommas(reader, (one) => one.name());
  reader.expect(")");
  return names;
}

function parseSet(reader: TokenReader): Assignments {
  reader.expect("set");
  return parseCommas(reader, (one) => {
    const name = one.name();
    one.expect("=");
    return [name, parseExpression(one)] as const;
  });
}

function parseInsert(reader: TokenReader, named: readonly Named[]): Insert {
  const table = reader.name();
  const columns = reader.sees("(") ? parseNames(reader) : [];
  const rows = reader.accept("values")
    ? parseCommas(reader, (one) => {
        one.expect("(");
        const values = parseCommas(one, parseExpression);
        one.expect(")");
        return values;
      })
    : parseSelect(reader);
  const conflict = reader.accept("on", "conflict") ? parseConflict(reader) : null;
  return { kind: "insert", with: named, table, columns, rows, conflict, returning: parseReturning(reader) };
}

function parseConflict(reader: TokenReader): NonNullable<Insert["conflict"]> {
  const columns = reader.sees("(") ? parseNames(reader) : [];
  reader.expect("do");
  if (reader.accept("nothing")) return { columns, set: null, where: null };
  reader.expect("update");
  return { columns, set: parseSet(reader), where: parseWhere(reader) };
}

function parseUpdate(reader: TokenReader, named: readonly Named[]): Update {
  const table = reader.name();
  const set = parseSet(reader);
  const from = reader.accept("from") ? parseSource(reader) : null;
  const where = parseWhere(reader);
  return { kind: "update", with: named, table, set, from, where, returning: parseReturning(reader) };
}

function parseDelete(reader: TokenReader, named: readonly Named[]): Delete {
  const table = reader.name();
  const where = parseWhere(reader);
  return { kind: "delete", with: named, table, where, returning: parseReturning(reader) };
}
