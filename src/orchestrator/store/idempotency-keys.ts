import { type Expression, type SqlBool, sql } from "kysely";
import { type Db, inBatches } from "./database.ts";

/** The scope of calls with the admin key. */
export const ADMIN_SCOPE = "admin";

/** One use of an `Idempotency-Key`. */
export interface KeyClaim {
  /** A product's id, or `admin`. */
  readonly scope: string;
  readonly key: string;
  /** Unique per use. A late result of an earlier use changes nothing. */
  readonly claim: string;
}

interface NewKeyClaim extends KeyClaim {
  readonly fingerprint: string;
  readonly hostId: string;
  readonly keptS: number;
}

export interface StoredResponse {
  readonly status: number;
  /** The JSON as it was sent. */
  readonly body: string;
}

/** The request that holds a key. `answer` is null while it is in progress. */
interface KeyHolder {
  readonly fingerprint: string;
  readonly answer: StoredResponse | null;
}

const MAX_ATTEMPTS = 10;

/** Claims the key or returns its holder, decided by one statement. An expired key is claimed too. */
export async function claimKey(db: Db, claim: NewKeyClaim): Promise<"claimed" | KeyHolder> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const claimed = await insertClaim(db, claim);
    if (claimed) return "claimed";
    const row = await db
      .selectFrom("idempotency_keys")
      .select(["fingerprint", "status", "body"])
      .where("scope", "=", claim.scope)
      .where("key", "=", claim.key)
      .executeTakeFirst();
    // Released between the two statements: it can be claimed now.
    if (row === undefined) continue;
    const { fingerprint, status, body } = row;
    return { fingerprint, answer: status === null || body === null ? null : { status, body } };
  }
  throw new Error("an idempotency key kept being claimed and released");
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

/** Stores the response of a call for repeated requests. */
export async function storeResponse(db: Db, claim: KeyClaim, { status, body }: StoredResponse): Promise<void> {
  await db.updateTable("idempotency_keys").set({ status, body }).where(inProgress(claim)).execute();
}

/** Releases the key of a call that changed nothing. */
export async function releaseKey(db: Db, claim: KeyClaim): Promise<void> {
  await db.deleteFrom("idempotency_keys").where(inProgress(claim)).execute();
}

const inProgress = ({ scope, key, claim }: KeyClaim): Expression<SqlBool> =>
  sql<SqlBool>`scope = ${scope} and key = ${key} and claim = ${claim} and status is null`;

/** Removes keys that expired before a time and keys of deleted products. */
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

/** Removes every key of a product, together with the product. */
export async function deleteKeysOfProduct(db: Db, productId: string): Promise<void> {
  await db.deleteFrom("idempotency_keys").where("scope", "=", productId).execute();
}

/**
 * Removes the oldest stored responses beyond `keys` or `bytes` per scope, of one scope or with null of all. Keys of calls
 * in progress stay.
 */
export function trimResponses(
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

/** Releases the keys of calls that an earlier daemon of this host interrupted. Call it after reconciling. */
export async function releaseInterruptedKeys(db: Db, hostId: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("idempotency_keys")
    .where("host_id", "=", hostId)
    .where("status", "is", null)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
