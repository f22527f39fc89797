import { DEFAULT_SCOPE, readScopes } from "../../contract/engine/scopes.ts";
import { USER_TOKEN_TTL_S, type UserToken } from "../../contract/orchestrator/user-token.ts";
import { newId } from "../../shared/ids.ts";
import { InvalidInput, byteLength } from "../../shared/parse.ts";
import type { EngineHost, Service } from "../host-context.ts";
import { getEngineRow } from "../status/look-up-engine.ts";
import { appendAudit } from "../store/audit-log.ts";
import type { Product } from "../store/products.ts";

const MAX_METADATA_BYTES = 1024;

interface TokenOptions {
  readonly userId: string;
  readonly ttlS: number | undefined;
  readonly scope: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
}

/** Creates a token of an end user. It has no row: the signature, the engine's epoch and its end say whether it is valid. */
export async function createUserToken(
  host: EngineHost & Service,
  product: Product,
  { userId, ttlS = USER_TOKEN_TTL_S.DEFAULT, scope = DEFAULT_SCOPE, metadata = {} }: TokenOptions,
): Promise<UserToken> {
  if (byteLength(JSON.stringify(metadata)) > MAX_METADATA_BYTES)
    throw new InvalidInput("metadata", `expected at most ${MAX_METADATA_BYTES} bytes of JSON`);
  const engine = await getEngineRow(host, product, userId);
  const id = newId("tok");
  // A token counts whole seconds.
  const expiresAt = Math.floor(host.now() / 1000 + ttlS) * 1000;
  const scopes = [...(readScopes(scope) ?? [])].join(" ");
  const token = await host.userTokens.sign(
    { engineId: engine.id, epoch: engine.token_epoch },
    { id, scope: scopes, expiresAt },
  );
  const detail = { token_id: id, scope: scopes, ttl_s: ttlS, ...(Object.keys(metadata).length > 0 && { metadata }) };
  await host.db
    .transaction()
    .execute((trx) =>
      appendAudit(trx, { action: "user_token.created", product_id: engine.product_id, engine_id: engine.id, detail }),
    );
  return { id, token, scope: scopes, expires_at: new Date(expiresAt).toISOString(), url: host.settings.publicUrl };
}
