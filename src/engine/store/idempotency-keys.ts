import type { Store } from "./open-store.ts";

export interface IdempotentCall {
  readonly bodyHash: string;
  readonly turnId: string;
}

/** The turn that each `Idempotency-Key` started. */
export class IdempotencyTable {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  find(key: string, notBefore: number): IdempotentCall | null {
    const row = this.#store.db
      .prepare(
        "select body_hash as bodyHash, turn_id as turnId from idempotency_keys where key = ? and created_at >= ?",
      )
      .get(key, notBefore) as unknown as IdempotentCall | undefined;
    return row ?? null;
  }

  insert(key: string, { bodyHash, turnId }: IdempotentCall, createdAt: number): void {
    this.#store.db
      .prepare("insert or replace into idempotency_keys (key, body_hash, turn_id, created_at) values (?, ?, ?, ?)")
      .run(key, bodyHash, turnId, createdAt);
  }

  prune(before: number): void {
    this.#store.db.prepare("delete from idempotency_keys where created_at < ?").run(before);
  }
}
