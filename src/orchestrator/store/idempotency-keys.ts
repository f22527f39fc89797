import { type Expression, type SqlBool, sql } from "kysely";
import type { Db } from "./database.ts";
import { inBatches } from "./in-batches.ts";

/** The scope of calls with the admin key. */
export const ADMIN_SCOPE = "admin";

/** One use of an `Idempotency-Key`. */
export interface KeyClaim {
  /** A product's id, or `admin`. */
  readonly scope: string;
  readonly key: string;
  /** Of this use alone: a late result of an earlier one changes nothing. */
  readonly claim: string;
}

export interface NewKeyClaim extends KeyClaim {
  readonly fingerprint: string;
  readonly hostId: string;
  readonly keptS: number;
}

export interface StoredAnswer {
  readonly status: number;
  /** JSON, as it was sent. */
  readonly body: string;
}

/** Who has a key already; `answer` is null while that call is in progress. */
export interface KeyHolder {
  readonly fingerprint: string;
  readonly answer: StoredAnswer | null;
}

const ROUNDS = 10;

/** Takes the key, or tells who has it. One statement decides; it also takes over an expired key. */
export async function claimKey(db: Db, wish: NewKeyClaim): Promise<"claimed" | KeyHolder> {
  for (let round = 0; round < ROUNDS; round++) {
    const claimed = await insertClaim(db, wish);
    if (claimed) return "claimed";
    const row = await db
      .selectFrom("idempotency_keys")
      .select(["fingerprint", "status", "body"])
      .where("scope", "=", wish.scope)
      .where("key", "=", wish.key)
      .executeTakeFirst();
    // Given back between the two statements: it can be had now.
    if (row === undefined) continue;
    const { fingerprint, status, body } = row;
    return { fingerprint, answer: status === null || body === null ? null : { status, body } };
  }
  throw new Error("an idempotency key kept changing hands");
}

async function insertClaim(db: Db, { scope, key, claim, fingerprint, hostId, keptS }: NewKeyClaim): Promise<boolean> {
  const fields = {
    fingerprint,
    claim,
    host_id: hostId,
    status: null,
    body: null,
    expires_at: sql<Date>`now() + make_interval(secs => ${keptS})`,
  };
  const row = await db
    .insertInto("idempotency_keys")
    .values({ scope, key, ...fields })
    .onConflict((conflict) =>
      conflict
        .columns(["scope", "key"])
        .doUpdateSet(fields)
        .where("idempotency_keys.expires_at", "<=", sql<Date>`now()`),
    )
    .returning("claim")
    .executeTakeFirst();
  return row !== undefined;
}

/** Keeps a call's answer for those who repeat it. */
export async function storeAnswer(db: Db, claim: KeyClaim, { status, body }: StoredAnswer): Promise<void> {
  await db.updateTable("idempotency_keys").set({ status, body }).where(inProgress(claim)).execute();
}

/** Gives a key back, for a call that changed nothing. */
export async function releaseKey(db: Db, claim: KeyClaim): Promise<void> {
  await db.deleteFrom("idempotency_keys").where(inProgress(claim)).execute();
}

const inProgress = ({ scope, key, claim }: KeyClaim): Expression<SqlBool> =>
  sql<SqlBool>`scope = ${scope} and key = ${key} and claim = ${claim} and status is null`;

/** Removes keys that expired before a time, and those of products that were deleted. */
export function purgeIdempotencyKeys(db: Db, before: Date): Promise<number> {
  return inBatches(async (limit) => {
    const { numAffectedRows = 0n } = await sql`
      delete from idempotency_keys where (scope, key) in (
        select scope, key from idempotency_keys
        where expires_at < ${before}
          or (scope <> ${ADMIN_SCOPE} and not exists (select from products where products.id = scope))
        limit ${limit}
      )`.execute(db);
    return Number(numAffectedRows);
  });
}

/** Removes every key of a product: with the product itself. */
export async function deleteKeysOfProduct(db: Db, productId: string): Promise<void> {
  await db.deleteFrom("idempotency_keys").where("scope", "=", productId).execute();
}

/**
 * Removes the oldest stored answers of each scope beyond `keys` or `bytes`; of one scope, or with null of all. A key
 * whose call is in progress stays.
 */
export function trimAnswers(
  db: Db,
  { scope, keys, bytes }: { readonly scope: string | null; readonly keys: number; readonly bytes: number },
): Promise<number> {
  return inBatches(async (limit) => {
    const { numAffectedRows = 0n } = await sql`
      delete from idempotency_keys where (scope, key, claim) in (
        select scope, key, claim from (
          select scope, key, claim, row_number() over newest as place, sum(octet_length(body)) over newest as size
          from idempotency_keys
          where status is not null and (${scope}::text is null or scope = ${scope})
          window newest as (partition by scope order by expires_at desc, key)
        ) ranked
        where place > ${keys} or size > ${bytes}
        limit ${limit}
      )`.execute(db);
    return Number(numAffectedRows);
  });
}

/** Gives back the keys of calls that a daemon of this host did not end, once what they began is undone or finished. */
export async function dropInterruptedCalls(db: Db, hostId: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("idempotency_keys")
    .where("host_id", "=", hostId)
    .where("status", "is", null)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
