import { insert, remove, type Triggers, update } from "./change.ts";
import type { Context } from "./evaluate.ts";
import { type Execution, select } from "./select.ts";
import type { Session, Answer } from "./session.ts";
import type { Select, Statement } from "./syntax.ts";
import { type Table, type Transaction, type Values, StatementFailed } from "./tables.ts";
import type { AdvisoryLocks } from "./advisory-locks.ts";
import { callFunction, callTable } from "./functions.ts";
import { parseStatement } from "./parse.ts";

/** What a statement needs of the server. */
export interface Database {
  readonly tables: Map<string, Table>;
  readonly locks: AdvisoryLocks;
  readonly nextSequence: () => number;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** Executes one statement in a transaction. Throws `Wait`, and {@link StatementFailed}; what it changed is then undone. */
export function executeStatement(
  database: Database,
  { session, transaction }: { readonly session: Session; readonly transaction: Transaction },
  { sql, parameters }: { readonly sql: string; readonly parameters: readonly unknown[] },
): Answer {
  const mark = transaction.mark();
  try {
    return run(
      executionOf(database, session, transaction, parameters),
      parseStatement(sql),
      triggersOf(database, session, transaction),
    );
  } catch (error) {
    transaction.undoTo(mark);
    throw error;
  }
}

function executionOf(
  database: Database,
  session: Session,
  transaction: Transaction,
  parameters: readonly unknown[],
): Execution {
  /** A query with a lock is evaluated once, not for each row that it is compared with. */
  const locked = new Map<Select, readonly Values[]>();
  const context: Context = {
    parameters,
    rowsOf(query, scope) {
      if (query.lock === null) return select(execution, query, scope);
      const known = locked.get(query) ?? select(execution, query, scope);
      locked.set(query, known);
      return known;
    },
    call: (name, args) => callFunction({ ...database, session, transaction }, name, args),
  };
  const execution: Execution = { transaction, tables: database.tables, named: new Map(), context, callTable };
  return execution;
}

function run(execution: Execution, statement: Statement, triggers: Triggers): Answer {
  for (const { name, statement: inner } of statement.with)
    execution.named.set(name, run(execution, inner, triggers).rows);
  switch (statement.kind) {
    case "select": {
      const rows = select(execution, statement);
      return { rows, rowCount: rows.length };
    }
    case "insert":
      return answerOf(insert(execution, statement, triggers));
    case "update":
      return answerOf(update(execution, statement, triggers));
    case "delete":
      return answerOf(remove(execution, statement, triggers));
    default:
      return statement satisfies never;
  }
}

const answerOf = ({ rows, count }: { readonly rows: readonly Values[]; readonly count: number }): Answer => ({
  rows,
  rowCount: count,
});

/** The triggers of the migrations, by the functions that they call. */
function triggersOf(
  { tables, locks, nextSequence, clock }: Database,
  session: Session,
  transaction: Transaction,
): Triggers {
  const calls = (table: Table, event: string, timing: "before" | "after", name: string) =>
    table.triggers.some((one) => one.timing === timing && one.calls === name && one.events.includes(event));
  return {
    before(table, event) {
      if (!calls(table, event, "before", "assert_leader")) return;
      const epoch = session.settings.get("orchd.epoch");
      const host = session.settings.get("orchd.host_id");
      if (epoch === undefined) return;
      locks.acquire({ key: epochLock(host ?? ""), session: session.id, transaction, isShared: true });
      const leader = tables
        .get("hosts")
        ?.rows.map((row) => row.seenBy(transaction))
        .find((one) => one?.["host_id"] === host);
      if (String(leader?.["epoch"]) !== epoch)
        throw new StatementFailed("OR001", `another orchd leads the host ${host}`);
    },
    row(table, event, values, old) {
      if (calls(table, event, "before", "number_event")) {
        locks.acquire({ key: "orchd events", session: session.id, transaction, isShared: false });
        return { ...values, seq: nextSequence() };
      }
      if (calls(table, event, "before", "stamp_released_port") && old?.["engine_id"] && values["engine_id"] === null)
        return { ...values, released_at: new Date(clock()) };
      return values;
    },
    after(table, event, changed) {
      if (calls(table, event, "after", "notify_product_change"))
        transaction.notifications.push({ channel: "orchd_products", payload: "" });
      if (event === "delete" && calls(table, event, "after", "orchd_notify_tokens"))
        for (const { id } of changed) transaction.notifications.push({ channel: "orchd_tokens", payload: String(id) });
    },
  };
}

/** As `hashtext` of the model names it. */
export const epochLock = (host: string): string => `orchd epoch ${host}`;
