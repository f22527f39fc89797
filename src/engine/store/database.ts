import {
  DatabaseSync,
  type DatabaseSyncOptions,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementSync,
} from "node:sqlite";

export type SqlValue = SQLInputValue;
export type SqlRow = Record<string, SQLOutputValue>;

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGE: readonly number[] = [11, 26];
/** SQLITE_CORRUPT_VTAB: a full-text index is inconsistent. It can be rebuilt from its rows; the file may be sound. */
const INDEX_DAMAGE = 267;

/** Whether SQLite reports a damaged full-text index. */
export const isIndexDamage = (error: unknown): error is Error =>
  error instanceof Error && "errcode" in error && error.errcode === INDEX_DAMAGE;

/** Whether SQLite reports a damaged database file, in contrast to a full disk or a missing permission. */
export function isDamage(error: unknown): error is Error {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return false;
  return DAMAGE.includes(error.errcode & 0xff) && !isIndexDamage(error);
}

/** A SQLite connection that reports damage found by any statement. The statement's error is thrown all the same. */
export class Database {
  readonly #db: DatabaseSync;
  #onDamage: (error: Error) => void = () => undefined;
  /** By the name of the index. */
  readonly #onIndexDamage = new Map<string, () => void>();

  constructor(file: string, options: DatabaseSyncOptions = {}) {
    this.#db = new DatabaseSync(file, options);
  }

  /** Damage found before this call is not reported. */
  watchDamage(onDamage: (error: Error) => void): void {
    this.#onDamage = onDamage;
  }

  /** Calls `rebuild` after a statement that found the full-text index `name` damaged, outside its transaction. */
  watchIndexDamage(name: string, rebuild: () => void): void {
    this.#onIndexDamage.set(name, rebuild);
  }

  /** Compiled at its first use: a turn uses a fifth of the 340, and all of them take 12 ms. */
  prepare(sql: string): Statement {
    return new Statement(() => this.#db.prepare(sql), this.#onError);
  }

  exec(sql: string): void {
    this.#report(() => this.#db.exec(sql));
  }

  /** Whether a transaction is open. SQLite rolls it back automatically when a write fails. */
  get isTransaction(): boolean {
    return this.#db.isTransaction;
  }

  get isOpen(): boolean {
    return this.#db.isOpen;
  }

  close(): void {
    this.#db.close();
  }

  #report<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.#onError(error);
    }
  }

  readonly #onError = (error: unknown): unknown => {
    if (isDamage(error)) this.#onDamage(error);
    if (isIndexDamage(error))
      for (const [name, rebuild] of this.#onIndexDamage) if (error.message.includes(`"${name}"`)) setImmediate(rebuild);
    return error;
  };
}

/** A prepared statement. */
export class Statement {
  readonly #compile: () => StatementSync;
  readonly #onError: (error: unknown) => unknown;
  #compiled: StatementSync | undefined;

  constructor(compile: () => StatementSync, onError: (error: unknown) => unknown) {
    this.#compile = compile;
    this.#onError = onError;
  }

  get #statement(): StatementSync {
    return (this.#compiled ??= this.#compile());
  }

  /**
   * Reads `lastInsertRowid` as a large integer: the full-text index has row ids beyond the safe integers, and after
   * writing one every `run` would throw.
   */
  run(...values: SqlValue[]): { readonly changes: number; readonly lastInsertRowid: number } {
    try {
      const statement = this.#statement;
      statement.setReadBigInts(true);
      try {
        const { changes, lastInsertRowid } = statement.run(...values);
        return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) };
      } finally {
        statement.setReadBigInts(false);
      }
    } catch (error) {
      throw this.#onError(error);
    }
  }

  get(...values: SqlValue[]): SqlRow | undefined {
    try {
      return this.#statement.get(...values);
    } catch (error) {
      throw this.#onError(error);
    }
  }

  all(...values: SqlValue[]): SqlRow[] {
    try {
      return this.#statement.all(...values);
    } catch (error) {
      throw this.#onError(error);
    }
  }

  *iterate(...values: SqlValue[]): Generator<SqlRow, void> {
    try {
      yield* this.#statement.iterate(...values);
    } catch (error) {
      throw this.#onError(error);
    }
  }
}

/** A row with its columns in camel case; those in `json` are parsed. The tables are strict, so the caller may cast it. */
export function camelRow(row: SqlRow, ...json: readonly string[]): unknown {
  const fields = Object.entries(row).map(([column, value]) => [
    column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    json.includes(column) && value !== null ? (JSON.parse(String(value)) as unknown) : value,
  ]);
  return Object.fromEntries(fields);
}
