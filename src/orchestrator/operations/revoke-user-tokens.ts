import type { EngineHost } from "../host-context.ts";
import { ApiError } from "../api-error.ts";
import { getEngineRow } from "../status/look-up-engine.ts";
import { appendAudit } from "../store/audit-log.ts";
import type { Product } from "../store/products.ts";
import { raiseTokenEpoch } from "../store/token-holders.ts";

/** Ends all tokens of a user. A notification of the database tells every daemon, which ends the open streams. */
export async function revokeUserTokens(
  host: EngineHost,
  product: Product,
  userId: string,
): Promise<{ readonly epoch: number }> {
  const engine = await getEngineRow(host, product, userId);
  const raised = await host.db.transaction().execute(async (trx) => {
    const row = await raiseTokenEpoch(trx, engine.id);
    if (row === null) return null;
    const { token_epoch: epoch } = row;
    const target = { product_id: engine.product_id, engine_id: engine.id };
    await appendAudit(trx, { action: "user_tokens.revoked", ...target, detail: { epoch } });
    return { epoch };
  });
  if (raised === null) throw new ApiError("ENGINE_NOT_FOUND", "the engine was destroyed meanwhile");
  return raised;
}
