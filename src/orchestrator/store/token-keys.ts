import { sql } from "kysely";
import type { Db } from "./database.ts";

/** A key pair that signs tokens of end users, or did so. */
export interface TokenKey {
  readonly kid: string;
  /** PKCS #8, sealed with the deployment's secret key. */
  readonly sealedPrivateKey: Buffer;
  /** SPKI, in PEM. */
  readonly publicKey: string;
  readonly createdAt: Date;
  /** False once another key has replaced it. */
  readonly signs: boolean;
}

/** The keys whose tokens are accepted: the one that signs, and those replaced in the last `overlapS` seconds. */
export async function findTokenKeys(db: Db, overlapS: number): Promise<readonly TokenKey[]> {
  const rows = await db
    .selectFrom("token_keys")
    .selectAll()
    .where((eb) =>
      eb.or([
        eb("replaced_at", "is", null),
        eb("replaced_at", ">", sql<Date>`now() - make_interval(secs => ${overlapS})`),
      ]),
    )
    .execute();
  return rows.map((row) => ({
    kid: row.kid,
    sealedPrivateKey: row.private_key,
    publicKey: row.public_key,
    createdAt: row.created_at,
    signs: row.replaced_at === null,
  }));
}

/** Lets a new key sign in place of `replaces`. Does nothing when another daemon was first. */
export async function replaceTokenKey(
  db: Db,
  { kid, sealedPrivateKey, publicKey }: Omit<TokenKey, "createdAt" | "signs">,
  replaces: string | null,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if (replaces !== null)
      await trx
        .updateTable("token_keys")
        .set({ replaced_at: sql<Date>`now()` })
        .where("kid", "=", replaces)
        .where("replaced_at", "is", null)
        .execute();
    await trx
      .insertInto("token_keys")
      .values({ kid, private_key: sealedPrivateKey, public_key: publicKey, replaced_at: null })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
}
