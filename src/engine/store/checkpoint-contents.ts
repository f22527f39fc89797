import { Table } from "./table.ts";

export interface StoredContent {
  readonly digest: string;
  readonly bytes: number;
}

/** The contents in the store of checkpoints: their sizes, and the last change that refers to each. */
export class CheckpointContentTable extends Table {
  readonly #use = this.db.prepare(
    `insert into checkpoint_contents (digest, bytes, used) values (?, ?, ?)
     on conflict do update set used = max(used, excluded.used)`,
  );
  readonly #has = this.db.prepare("select bytes from checkpoint_contents where digest = ?");
  readonly #total = this.db.prepare("select coalesce(sum(bytes), 0) as bytes from checkpoint_contents");
  readonly #oldest = this.db.prepare("select digest, bytes from checkpoint_contents order by used limit ?");
  readonly #delete = this.db.prepare("delete from checkpoint_contents where digest = ? returning bytes");

  /** Notes that the change refers to it. */
  use(digest: string, bytes: number, changeId: number): void {
    this.#use.run(digest, bytes, changeId);
  }

  /** Its size; null when it is not stored. */
  bytesOf(digest: string): number | null {
    const row = this.#has.get(digest);
    return row === undefined ? null : Number(row["bytes"]);
  }

  totalBytes(): number {
    return Number(this.#total.get()?.["bytes"]);
  }

  oldest(count: number): StoredContent[] {
    return this.#oldest.all(count).map((row) => ({ digest: String(row["digest"]), bytes: Number(row["bytes"]) }));
  }

  remove(digests: readonly string[]): void {
    this.store.transaction(() => this.forget(digests));
  }

  /** Runs in a transaction of the caller. Returns those that were stored. */
  forget(digests: readonly string[]): StoredContent[] {
    return digests.flatMap((digest) => {
      const row = this.#delete.get(digest);
      return row === undefined ? [] : [{ digest, bytes: Number(row["bytes"]) }];
    });
  }
}
