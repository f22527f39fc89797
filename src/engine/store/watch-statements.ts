import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGE: readonly number[] = [11, 26];
/** A full-text index at odds with itself: it is made anew from what it is about, and the file may be sound. */
const INDEX_DAMAGE = 267;

/** Whether SQLite says that the file itself is no sound database; a full disk or a missing right is something else. */
export function isDamage(error: unknown): error is Error {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return false;
  return DAMAGE.includes(error.errcode & 0xff) && error.errcode !== INDEX_DAMAGE;
}

/** Tells of damage that any statement meets, whoever runs it; what the statement throws is thrown all the same. */
export function watchStatements(db: DatabaseSync, onDamage: (error: Error) => void): void {
  const watched = <Call extends (...args: never[]) => unknown>(call: Call): Call =>
    ((...args: never[]) => {
      try {
        return call(...args);
      } catch (error) {
        if (isDamage(error)) onDamage(error);
        throw error;
      }
    }) as Call;
  const prepare = db.prepare.bind(db);
  db.exec = watched(db.exec.bind(db));
  db.prepare = watched((...args: Parameters<typeof prepare>): StatementSync => {
    const statement = prepare(...args);
    statement.run = watched(statement.run.bind(statement));
    statement.get = watched(statement.get.bind(statement));
    statement.all = watched(statement.all.bind(statement));
    const iterate: (...values: SQLInputValue[]) => ReturnType<StatementSync["iterate"]> =
      statement.iterate.bind(statement);
    statement.iterate = watched((...values: never[]) => {
      const rows = iterate(...values);
      rows.next = watched(rows.next.bind(rows));
      return rows;
    });
    return statement;
  });
}
