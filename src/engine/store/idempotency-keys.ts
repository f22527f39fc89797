import { Table } from "./table.ts";

export interface IdempotentCall {
  readonly bodyHash: string;
  readonly turnId: string;
}

/** The turn that each `Idempotency-Key` started. */
export class IdempotencyTable extends Table {
  find(key: string, notBefore: number): IdempotentCall | null {
    const row = this.db
      .prepare(
        "select body_hash as bodyHash, turn_id as turnId from idempotency_keys where key = ? and created_at >= ?",
      )
      .get(key, notBefore) as unknown as IdempotentCall | undefined;
    return row ?? null;
  }

  insert(key: string, { bodyHash, turnId }: IdempotentCall, createdAt: number): void {
    this.db
      .prepare("insert or replace into idempotency_keys (key, body_hash, turn_id, created_at) values (?, ?, ?, ?)")
      .run(key, bodyHash, turnId, createdAt);
  }

  prune(before: number): void {
    this.db.prepare("delete from idempotency_keys where created_at < ?").run(before);
  }
}
