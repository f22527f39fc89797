import type { Forgotten } from "../../contract/broker/forget.ts";
import { ApiError } from "../api-error.ts";
import { readLoginTargets } from "../engine-calls/engine-logins.ts";
import type { EngineHost, Service } from "../host-context.ts";
import { SignInFailure } from "../identity/sign-in-failure.ts";
import { ToolLogin } from "../identity/tool-login.ts";
import { getEngineRow } from "../status/look-up-engine.ts";
import { appendAudit } from "../store/audit-log.ts";
import { takeConnection } from "../store/connections.ts";
import { notifyForgotten } from "../store/forgotten-answers.ts";
import type { ConnectionRow } from "../store/login-tables.ts";
import type { Product } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { inSleepLane } from "../supervision/sleep-lane.ts";
import { loginCalls } from "./login-addresses.ts";
import { type LoginLink, loginLink } from "./login-link.ts";
import { withClientSecret } from "./client-secret.ts";
import { openTokens } from "./sealed-tokens.ts";

interface ConnectionAddress {
  readonly userId: string;
  readonly server: string;
}

/** A login that no turn waits for. The engine is woken, because its catalog says where the server is. */
export async function beginConnection(
  host: EngineHost & Service,
  product: Product,
  { userId, server }: ConnectionAddress,
): Promise<LoginLink> {
  const engine = await getEngineRow(host, product, userId);
  const woken = await host.supervisor.wake(engine.id, "call");
  if (woken.kind === "failed") throw woken.error;
  const targets = await inSleepLane(host, engine.id, async () => {
    const live = host.live.get(engine.id);
    if (live === undefined || live.isStopping) throw new ApiError("ENGINE_NOT_RUNNING", "the engine does not run");
    return readLoginTargets({ url: live.url, token: live.controlToken });
  });
  if (targets === null)
    throw new ApiError("SERVICE_UNAVAILABLE", "the engine does not say which logins its catalog has", {
      retryAfterS: 1,
    });
  const target = targets.find((one) => one.server === server);
  if (target === undefined) throw notFound(`the engine's catalog has no tool server ${server} with a login`);
  return loginLink(host, engine, { target, turn: null });
}

/** Deletes a connection, which the broker uses no longer, and ends its tokens at the authorization server as far as that answers. */
export async function deleteConnection(
  host: EngineHost & Service,
  product: Product,
  { userId, server }: ConnectionAddress,
): Promise<{ readonly deleted: true; readonly revoked: boolean }> {
  const engine = await getEngineRow(host, product, userId);
  const forgotten: Forgotten = { engines: [engine.id], connections: [server] };
  const row = await host.db.transaction().execute(async (trx) => {
    const taken = await takeConnection(trx, { engineId: engine.id, server });
    if (taken === null) throw notFound(`the user is not signed in to a tool server ${server}`);
    const place = { product_id: engine.product_id, engine_id: engine.id };
    await appendAudit(trx, { action: "connection.deleted", ...place, detail: { server } });
    await notifyForgotten(trx, forgotten);
    await host.events.insert(trx, { type: "secret.disconnected", engine, data: { server } });
    return taken;
  });
  await host.broker?.forget(forgotten);
  return { deleted: true, revoked: await revoke(host, product, { engine, row }) };
}

async function revoke(
  host: EngineHost & Service,
  product: Product,
  { engine, row }: { readonly engine: EngineRow; readonly row: ConnectionRow },
): Promise<boolean> {
  if (row.tokens === null) return false;
  const tokens = openTokens(host, { engineId: engine.id, server: row.server }, row.tokens);
  try {
    return await new ToolLogin(await withClientSecret(host, row, tokens), loginCalls(product).fetch).revoke(tokens);
  } catch (error) {
    if (!(error instanceof SignInFailure)) throw error;
    const { server } = row;
    host.logger.warn({ engine_id: engine.id, server, reason: error.message }, "failed to revoke tokens");
    return false;
  }
}

const notFound = (message: string): ApiError => new ApiError("CONNECTION_NOT_FOUND", message);
