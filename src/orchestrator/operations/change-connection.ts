import type { Forgotten } from "../../contract/broker/forget.ts";
import { ApiError } from "../api-error.ts";
import { readLoginTargets } from "../engine-calls/engine-logins.ts";
import type { EngineHost, Service } from "../host-context.ts";
import { getEngineRow } from "../status/look-up-engine.ts";
import { appendAudit } from "../store/audit-log.ts";
import { findConnection, takeConnection } from "../store/connections.ts";
import { notifyForgotten } from "../store/forgotten-answers.ts";
import type { Product } from "../store/products.ts";
import { inSleepLane } from "../supervision/sleep-lane.ts";
import { type LoginLink, loginLink } from "./login-link.ts";
import { readableTokens, remainsOf, revokeLater, tryRevocation } from "./revoke-login.ts";

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

/**
 * Deletes a connection, which the broker uses no longer, and ends its tokens at the authorization server. What that does not
 * answer now is repeated by `recovery/finish-logins.ts`.
 */
export async function deleteConnection(
  host: EngineHost & Service,
  product: Product,
  { userId, server }: ConnectionAddress,
): Promise<{ readonly deleted: true; readonly revoked: boolean }> {
  const engine = await getEngineRow(host, product, userId);
  const key = { engineId: engine.id, server };
  const forgotten: Forgotten = { engines: [engine.id], connections: [server] };
  const row = await findConnection(host.db, key);
  if (row === null) throw notConnected(server);
  const remains = await remainsOf(host, row, readableTokens(host, row));
  const revocation = await host.db.transaction().execute(async (trx) => {
    const taken = await takeConnection(trx, key);
    if (taken === null) throw notConnected(server);
    const place = { product_id: engine.product_id, engine_id: engine.id };
    await appendAudit(trx, { action: "connection.deleted", ...place, detail: { server } });
    await notifyForgotten(trx, forgotten);
    await host.events.insert(trx, { type: "secret.disconnected", engine, data: { server } });
    const tokens = readableTokens(host, taken);
    return tokens === null ? null : revokeLater(host, trx, taken, { tokens, remains, isTried: true });
  });
  await host.broker?.forget(forgotten);
  return { deleted: true, revoked: revocation !== null && (await tryRevocation(host, revocation)) };
}

const notConnected = (server: string): ApiError => notFound(`the user is not signed in to a tool server ${server}`);

const notFound = (message: string): ApiError => new ApiError("CONNECTION_NOT_FOUND", message);
