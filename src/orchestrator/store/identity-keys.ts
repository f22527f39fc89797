import { sql } from "kysely";
import type { Db, Trx } from "./database.ts";

/** A key pair for the identity tokens of agents. */
export interface IdentityKey {
  readonly kid: string;
  /** PKCS #8, sealed with the deployment's secret key. */
  readonly sealedPrivateKey: Buffer;
  /** SPKI, in PEM. */
  readonly publicKey: string;
  readonly signsFrom: Date;
  /** Whether it signs now, by the clock of the database. */
  readonly signs: boolean;
  /** Whether no later key exists. */
  readonly isNewest: boolean;
}

type NewKey = Pick<IdentityKey, "kid" | "sealedPrivateKey" | "publicKey">;

/** The keys that are published: the one that signs, a later one, and those replaced in the last `overlapS` seconds. */
export async function findIdentityKeys(db: Db | Trx, overlapS: number): Promise<readonly IdentityKey[]> {
  const rows = await db
    .selectFrom("identity_keys")
    .selectAll()
    .select(sql<boolean>`signs_from <= now() and (replaced_at is null or replaced_at > now())`.as("signs"))
    .where((eb) =>
      eb.or([
        eb("replaced_at", "is", null),
        eb("replaced_at", ">", sql<Date>`now() - make_interval(secs => ${overlapS})`),
      ]),
    )
    .orderBy("signs_from", "desc")
    .execute();
  return rows.map((row) => ({
    kid: row.kid,
    sealedPrivateKey: row.private_key,
    publicKey: row.public_key,
    signsFrom: row.signs_from,
    signs: row.signs,
    isNewest: row.replaced_at === null,
  }));
}

/** Adds the first key. Does nothing when another daemon was first. */
export async function addFirstIdentityKey(db: Db, key: NewKey): Promise<void> {
  await db
    .insertInto("identity_keys")
    .values({ kid: key.kid, private_key: key.sealedPrivateKey, public_key: key.publicKey, replaced_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Publishes a key that signs in `leadS` seconds, and deletes those that are published no more. False when another call has
 * replaced the newest key meanwhile.
 */
export async function addNextIdentityKey(
  trx: Trx,
  key: NewKey,
  { replaces, leadS, overlapS }: { readonly replaces: string; readonly leadS: number; readonly overlapS: number },
): Promise<boolean> {
  const from = sql<Date>`now() + make_interval(secs => ${leadS})`;
  const { numUpdatedRows } = await trx
    .updateTable("identity_keys")
    .set({ replaced_at: from })
    .where("kid", "=", replaces)
    .where("replaced_at", "is", null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await trx
    .deleteFrom("identity_keys")
    .where("replaced_at", "<=", sql<Date>`now() - make_interval(secs => ${overlapS})`)
    .execute();
  await insertKey(trx, key, from);
  return true;
}

/** Lets a key sign at once, and takes every other one out of the published keys. */
export async function replaceIdentityKeys(trx: Trx, key: NewKey): Promise<void> {
  await trx.deleteFrom("identity_keys").execute();
  await insertKey(trx, key, sql<Date>`now()`);
}

async function insertKey(trx: Trx, key: NewKey, from: ReturnType<typeof sql<Date>>): Promise<void> {
  await trx
    .insertInto("identity_keys")
    .values({
      kid: key.kid,
      private_key: key.sealedPrivateKey,
      public_key: key.publicKey,
      signs_from: from,
      replaced_at: null,
    })
    .execute();
}
