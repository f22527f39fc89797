import { rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { RecordType } from "./file-records.ts";
import type { ReadRecord } from "./read-memory-file.ts";

const FILE = "memory-import.db";

export interface StagedRecord extends ReadRecord {
  /** Whether it is not imported: its turn is running, or its turn or plan exists. */
  readonly skip: boolean;
  /** Length of all fields as JSON text. */
  readonly length: number;
}

/**
 * Staging database of an import. The engine's store stays untouched until the whole file is validated, and a refused
 * file leaves nothing behind.
 */
export class ImportStage {
  readonly #db: DatabaseSync;
  readonly #insert;
  readonly #byId;
  readonly #ofType;
  readonly #all;
  readonly #skip;

  private constructor(db: DatabaseSync) {
    this.#db = db;
    this.#insert = db.prepare("insert into records (line, type, id, fields) values (?, ?, ?, ?)");
    this.#byId = db.prepare("select * from records where type = ? and id = ? order by line limit 1");
    this.#ofType = db.prepare("select * from records where type = ? and line > ? order by line limit ?");
    this.#all = db.prepare("select * from records where line > ? order by line limit ?");
    this.#skip = db.prepare("update records set skip = 1 where line = ?");
  }

  static create(dataDir: string): ImportStage {
    ImportStage.remove(dataDir);
    const db = new DatabaseSync(join(dataDir, FILE));
    // Unsynced until `commit`: an interrupted upload starts over.
    db.exec(`
      pragma journal_mode = off; pragma synchronous = off;
      create table records (line integer primary key, type text not null, id text, fields text not null,
        skip integer not null default 0) strict;
      create index records_named on records (type, id);
      create index records_of_type on records (type, line);
      begin`);
    return new ImportStage(db);
  }

  /** A committed stage. */
  static open(dataDir: string): ImportStage {
    return new ImportStage(new DatabaseSync(join(dataDir, FILE), { readOnly: true }));
  }

  /** Whether the committed stage exists and is intact. */
  static isReadable(dataDir: string): boolean {
    try {
      const stage = ImportStage.open(dataDir);
      const { quick_check: verdict } = stage.#db.prepare("pragma quick_check(1)").get() ?? {};
      stage.close();
      return verdict === "ok";
    } catch (error) {
      if (!(error instanceof Error) || !("errcode" in error)) throw error;
      return false;
    }
  }

  static remove(dataDir: string): void {
    for (const part of ["", "-journal", "-wal", "-shm"]) rmSync(join(dataDir, FILE + part), { force: true });
  }

  add({ line, type, fields }: ReadRecord): void {
    const id = fields["id"];
    this.#insert.run(line, type, typeof id === "string" ? id : null, JSON.stringify(fields));
  }

  find(type: RecordType, id: string): StagedRecord | null {
    const row = this.#byId.get(type, id);
    return row === undefined ? null : staged(row);
  }

  /** The records after a line, in the order of the file. */
  page(after: number, limit: number, type?: RecordType): readonly StagedRecord[] {
    const rows = type === undefined ? this.#all.all(after, limit) : this.#ofType.all(type, after, limit);
    return rows.map(staged);
  }

  get lastLine(): number {
    return Number(this.#db.prepare("select max(line) as line from records").get()?.["line"] ?? 0);
  }

  skip(line: number): void {
    this.#skip.run(line);
  }

  /** Commits and syncs to disk, without blocking the event loop. */
  async commit(): Promise<void> {
    this.#db.exec("commit");
    const file = await open(this.#db.location() ?? "");
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }

  close(): void {
    this.#db.close();
  }
}

const staged = (row: Record<string, unknown>): StagedRecord => ({
  line: Number(row["line"]),
  type: row["type"] as RecordType,
  fields: JSON.parse(String(row["fields"])) as Record<string, unknown>,
  skip: row["skip"] === 1,
  length: String(row["fields"]).length,
});
