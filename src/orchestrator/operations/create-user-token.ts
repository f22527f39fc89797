import {
  DEFAULT_BOUND_SCOPE,
  DEFAULT_SCOPE,
  type Scope,
  readScopes,
  sharedScopes,
} from "../../contract/engine/scopes.ts";
import { MAX_TASK_BOUNDS_BYTES, type TaskBounds } from "../../contract/engine/task-bounds.ts";
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
  readonly tasks: TaskBounds | undefined;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
}

/** Creates a token of an end user. It has no row: the signature, the engine's epoch and its end say whether it is valid. */
export async function createUserToken(
  host: EngineHost & Service,
  product: Product,
  { userId, ttlS = USER_TOKEN_TTL_S.DEFAULT, scope, tasks, metadata = {} }: TokenOptions,
): Promise<UserToken> {
  const scopes = readScopes(scope ?? (tasks === undefined ? DEFAULT_SCOPE : DEFAULT_BOUND_SCOPE)) ?? new Set();
  if (tasks !== undefined) assertBounds(tasks, scopes);
  if (byteLength(JSON.stringify(metadata)) > MAX_METADATA_BYTES)
    throw new InvalidInput("metadata", `expected at most ${MAX_METADATA_BYTES} bytes of JSON`);
  const engine = await getEngineRow(host, product, userId);
  const id = newId("tok");
  // A token counts whole seconds.
  const expiresAt = Math.floor(host.now() / 1000 + ttlS) * 1000;
  const words = [...scopes].join(" ");
  const token = await host.userTokens.sign(
    { engineId: engine.id, epoch: engine.token_epoch },
    { id, scope: words, tasks, expiresAt },
  );
  const detail = {
    token_id: id,
    scope: words,
    tasks,
    ttl_s: ttlS,
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
  await host.db
    .transaction()
    .execute((trx) =>
      appendAudit(trx, { action: "user_token.created", product_id: engine.product_id, engine_id: engine.id, detail }),
    );
  return { id, token, scope: words, expires_at: new Date(expiresAt).toISOString(), url: host.settings.publicUrl };
}

function assertBounds(tasks: TaskBounds, scopes: ReadonlySet<Scope>): void {
  if (byteLength(JSON.stringify(tasks)) > MAX_TASK_BOUNDS_BYTES)
    throw new InvalidInput("tasks", `expected at most ${MAX_TASK_BOUNDS_BYTES} bytes of JSON`);
  const [shared] = sharedScopes(scopes);
  if (shared !== undefined)
    throw new InvalidInput("scope", `expected no ${shared} together with tasks: all tasks share it`);
}
