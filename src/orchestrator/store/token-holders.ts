import { sql } from "kysely";
import type { EngineLayers } from "../../contract/orchestrator/engine-policy.ts";
import type { Db, Trx } from "./database.ts";
import { layersOf } from "./planned-policy.ts";
import type { EngineRow } from "./tables.ts";

/** Whose engine a token is for, as of now. */
export interface TokenHolder {
  readonly engineId: string;
  readonly productId: string;
  readonly userId: string;
  /** Tokens of an earlier epoch are revoked. */
  readonly epoch: number;
  /** What decides about the engine before its product's policy. */
  readonly layers: EngineLayers;
}

export async function findTokenHolders(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, TokenHolder>> {
  const columns = ["id", "product_id", "user_id", "token_epoch", "plan", "own_policy", "policy_changes"] as const;
  const rows = await db.selectFrom("engines").select(columns).where("id", "in", ids).execute();
  return new Map(
    rows.map(({ id, product_id, user_id, token_epoch, ...row }) => [
      id,
      { engineId: id, productId: product_id, userId: user_id, epoch: token_epoch, layers: layersOf(row) },
    ]),
  );
}

/** Ends all tokens of an engine. Null when there is none. */
export async function raiseTokenEpoch(trx: Trx, engineId: string): Promise<Pick<EngineRow, "token_epoch"> | null> {
  const row = await trx
    .updateTable("engines")
    .set({ token_epoch: sql<number>`token_epoch + 1`, tokens_revoked_at: sql<Date>`now()` })
    .where("id", "=", engineId)
    .returning("token_epoch")
    .executeTakeFirst();
  return row ?? null;
}
