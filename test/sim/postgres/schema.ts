import { type DatabaseConnection, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import { ORCHESTRATOR_MIGRATIONS } from "../../../migrations/orchestrator/index.ts";
import { parseExpression } from "./parse-expression.ts";
import { parseSelect } from "./parse.ts";
import { type Reference, Table } from "./tables.ts";
import { TokenReader } from "./tokens.ts";

/** What the model does natively. A migration with another one fails here, so that nobody forgets it. */
const KNOWN_FUNCTIONS = new Set([
  "notify_product_change",
  "stamp_released_port",
  "number_event",
  "refuse_audit_change",
  "assert_leader",
  "orchd_notify_tokens",
]);

/** The tables that the real migrations make, without rows. */
export async function readSchema(): Promise<ReadonlyMap<string, Table>> {
  const tables = new Map<string, Table>();
  for (const statement of await recordedStatements()) apply(tables, statement);
  return tables;
}

/** A copy without rows, for the next run. */
export function emptyCopy(tables: ReadonlyMap<string, Table>): Map<string, Table> {
  return new Map(
    [...tables].map(([name, { columns, uniques, triggers, references }]) => {
      const copy = new Table(name);
      for (const [column, definition] of columns) copy.columns.set(column, definition);
      copy.uniques.push(...uniques);
      copy.triggers.push(...triggers);
      copy.references.push(...references);
      return [name, copy];
    }),
  );
}

async function recordedStatements(): Promise<readonly string[]> {
  const statements: string[] = [];
  const connection: DatabaseConnection = {
    executeQuery: ({ sql }) => {
      statements.push(sql);
      return Promise.resolve({ rows: [] });
    },
    streamQuery: () => {
      throw new Error("a migration streams nothing");
    },
  };
  const nothing = () => Promise.resolve();
  const driver = {
    init: nothing,
    acquireConnection: () => Promise.resolve(connection),
    beginTransaction: nothing,
    commitTransaction: nothing,
    rollbackTransaction: nothing,
    releaseConnection: nothing,
    destroy: nothing,
  };
  const db = new Kysely<never>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (any) => new PostgresIntrospector(any),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  for (const { up } of Object.values(ORCHESTRATOR_MIGRATIONS)) await up(db);
  return statements;
}

function apply(tables: Map<string, Table>, statement: string): void {
  if (/^\s*create (or replace )?function/.test(statement)) {
    const name = /function (\w+)/.exec(statement)?.[1] ?? "";
    if (!KNOWN_FUNCTIONS.has(name)) throw new Error(`the model of PostgreSQL does not know the function ${name}`);
    return;
  }
  if (
    /^\s*(create (index|sequence|trigger [^]* before truncate)|update|insert|delete|drop index|grant|revoke|comment)/.test(
      statement,
    )
  )
    return;
  const reader = new TokenReader(statement, parseSelect);
  if (reader.accept("create", "table")) return createTable(tables, reader);
  if (reader.accept("create", "unique", "index")) return createUniqueIndex(tables, reader);
  if (reader.accept("create", "trigger")) return createTrigger(tables, reader);
  if (reader.accept("alter", "table")) return alterTable(tables, reader);
  reader.fail("a statement of a migration");
}

function createTable(tables: Map<string, Table>, reader: TokenReader): void {
  reader.accept("if", "not", "exists");
  const table = new Table(reader.name());
  tables.set(table.name, table);
  reader.expect("(");
  do readPart(table, reader);
  while (reader.accept(","));
  reader.expect(")");
}

/** A column or a constraint. */
function readPart(table: Table, reader: TokenReader): void {
  if (reader.accept("constraint")) reader.name();
  if (reader.accept("unique") || reader.accept("primary", "key"))
    table.uniques.push({ columns: readNames(reader), where: null });
  else if (reader.sees("foreign") || reader.sees("check")) skipPart(reader);
  else return readColumn(table, reader);
  skipPart(reader);
}

function readColumn(table: Table, reader: TokenReader): void {
  const name = reader.name();
  let type = reader.name();
  if (type === "double") type += ` ${reader.name()}`;
  while (reader.accept("[", "]")) type += "[]";
  let [isNotNull, fallback] = [false, null as ReturnType<typeof parseExpression> | null];
  while (!reader.isAtEnd() && !reader.sees(",") && !reader.sees(")")) {
    if (reader.accept("not", "null")) isNotNull = true;
    else if (reader.accept("default")) fallback = parseExpression(reader);
    else if (reader.accept("unique") || reader.accept("primary", "key"))
      table.uniques.push({ columns: [name], where: null });
    else if (reader.accept("references")) table.references.push(readReference(name, reader));
    else skipOne(reader);
  }
  table.columns.set(name, { type, isNotNull, fallback });
}

function readReference(column: string, reader: TokenReader): Reference {
  const table = reader.name();
  skipOne(reader);
  const onDelete = reader.accept("on", "delete", "set", "null")
    ? "set null"
    : reader.accept("on", "delete", "cascade")
      ? "cascade"
      : null;
  return { column, table, onDelete };
}

/** One token, or what brackets contain. */
function skipOne(reader: TokenReader): void {
  if (!reader.accept("(")) {
    reader.next();
    return;
  }
  while (!reader.accept(")")) skipOne(reader);
}

function skipPart(reader: TokenReader): void {
  while (!reader.isAtEnd() && !reader.sees(",") && !reader.sees(")")) skipOne(reader);
}

function readNames(reader: TokenReader): readonly string[] {
  const names: string[] = [];
  reader.expect("(");
  do names.push(reader.name());
  while (reader.accept(","));
  reader.expect(")");
  return names;
}

/** Of an expression instead of columns, nothing is checked. */
function createUniqueIndex(tables: Map<string, Table>, reader: TokenReader): void {
  reader.name();
  reader.expect("on");
  const table = tableNamed(tables, reader.name());
  if (reader.sees("(", "(")) return;
  if (reader.peek(2).value === "(") return;
  const columns = readNames(reader);
  table.uniques.push({ columns, where: reader.accept("where") ? parseExpression(reader) : null });
}

function createTrigger(tables: Map<string, Table>, reader: TokenReader): void {
  const name = reader.name();
  const timing = reader.accept("before") ? "before" : (reader.expect("after"), "after");
  const events: string[] = [];
  do {
    events.push(reader.name());
    if (reader.accept("of"))
      do reader.name();
      while (reader.accept(","));
  } while (reader.accept("or"));
  reader.expect("on");
  const table = tableNamed(tables, reader.name());
  while (!reader.accept("execute", "function")) skipOne(reader);
  table.triggers.push({ name, timing, events, calls: reader.name() });
}

function alterTable(tables: Map<string, Table>, reader: TokenReader): void {
  const table = tableNamed(tables, reader.name());
  do {
    if (reader.accept("drop", "column")) table.columns.delete(reader.name());
    else if (reader.accept("drop", "constraint")) dropConstraint(table, reader.name());
    else if (reader.accept("alter", "column")) dropNotNull(table, reader);
    else if (reader.accept("add", "column")) {
      reader.accept("if", "not", "exists");
      readColumn(table, reader);
    } else if (reader.accept("add")) readPart(table, reader);
    else reader.fail("a change of a table");
  } while (reader.accept(","));
}

function dropNotNull(table: Table, reader: TokenReader): void {
  const name = reader.name();
  const column = table.columns.get(name) ?? reader.fail("a column of the table");
  reader.expect("drop", "not", "null");
  table.columns.set(name, { ...column, isNotNull: false });
}

function dropConstraint(table: Table, name: string): void {
  if (name === `${table.name}_pkey`) table.uniques.splice(0, 1);
}

function tableNamed(tables: Map<string, Table>, name: string): Table {
  const table = tables.get(name);
  if (table === undefined) throw new Error(`the model of PostgreSQL has no table ${name}`);
  return table;
}
