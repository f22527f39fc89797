import type { DatabaseSync, SQLInputValue, StatementResultingChanges } from "node:sqlite";

/**
 * A full-text index numbers rows of its own beyond what JavaScript counts exactly. Each statement's outcome names the
 * row inserted last, and `run` would throw for such a one, whatever the statement was: it is read as a large integer.
 */
export function allowLargeRowNumbers(db: DatabaseSync): void {
  const prepare = db.prepare.bind(db);
  db.prepare = (...args: Parameters<typeof prepare>) => {
    const statement = prepare(...args);
    const run: (...values: SQLInputValue[]) => StatementResultingChanges = statement.run.bind(statement);
    statement.run = (...values: never[]) => {
      statement.setReadBigInts(true);
      try {
        const { changes, lastInsertRowid } = run(...values);
        return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) };
      } finally {
        statement.setReadBigInts(false);
      }
    };
    return statement;
  };
}
