import { sql } from "kysely";
import { BatchedLookups } from "./batched-lookups.ts";
import type { Db } from "./database.ts";
import type { EngineRow } from "./tables.ts";

/** Looks up engines by their users with one statement at a time, whoever asks. */
export class EnginesOfUsers {
  readonly #lookups: BatchedLookups<EngineRow>;

  constructor(db: Db) {
    this.#lookups = new BatchedLookups((keys) => findEnginesOfUsers(db, keys));
  }

  find(productId: string, userId: string): Promise<EngineRow | null> {
    return this.#lookups.find(keyOf(productId, userId));
  }
}

/** An id of a product has no space. */
const keyOf = (productId: string, userId: string): string => `${productId} ${userId}`;

async function findEnginesOfUsers(db: Db, keys: readonly string[]): Promise<ReadonlyMap<string, EngineRow>> {
  const pairs = keys.map((key) => {
    const end = key.indexOf(" ");
    return { productId: key.slice(0, end), userId: key.slice(end + 1) };
  });
  const wanted = sql`(select * from unnest(${pairs.map((pair) => pair.productId)}::text[], ${pairs.map((pair) => pair.userId)}::text[]))`;
  const rows = await db
    .selectFrom("engines")
    .selectAll()
    .where(sql<boolean>`(product_id, user_id) in ${wanted}`)
    .execute();
  return new Map(rows.map((row) => [keyOf(row.product_id, row.user_id), row]));
}
