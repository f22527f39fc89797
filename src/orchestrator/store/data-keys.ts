import { randomBytes } from "node:crypto";
import { decrypt, encrypt } from "./aes-gcm.ts";
import type { Db } from "./database.ts";
import type { SealedBox } from "./sealed-box.ts";

const KEY_BYTES = 32;

/**
 * The key that seals what a product and its users keep. It is itself sealed with the deployment's secret key, so that a
 * new secret key costs one row of each product.
 */
export class DataKey {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** `context` names the row: a sealed value opens in no other. */
  seal(text: string, context: readonly string[]): Buffer {
    return encrypt(this.#key, Buffer.from(text, "utf8"), context.join("\n"));
  }

  /** Throws for another context, and for what was altered. */
  open(sealed: Buffer, context: readonly string[]): string {
    return decrypt(this.#key, sealed, context.join("\n")).toString("utf8");
  }
}

/** The data key of a product, made when it is first needed. Throws when it was sealed with an unknown secret key. */
export async function dataKeyOf({ box }: { readonly box: SealedBox }, db: Db, productId: string): Promise<DataKey> {
  const stored = (await findDataKey(db, productId)) ?? (await makeDataKey(db, productId, box));
  return new DataKey(box.openBytes(stored));
}

const findDataKey = async (db: Db, productId: string): Promise<Buffer | null> =>
  (await db.selectFrom("data_keys").select("sealed").where("product_id", "=", productId).executeTakeFirst())?.sealed ??
  null;

/** Another daemon may be first; then its key counts. */
async function makeDataKey(db: Db, productId: string, box: SealedBox): Promise<Buffer> {
  const sealed = box.sealBytes(randomBytes(KEY_BYTES));
  await db
    .insertInto("data_keys")
    .values({ product_id: productId, sealed })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await findDataKey(db, productId)) ?? sealed;
}
