import type { Connection } from "../../contract/orchestrator/connection.ts";
import { isoTime } from "../../shared/clock.ts";
import type { HostContext } from "../host-context.ts";
import { listConnections } from "../store/connections.ts";
import type { ConnectionRow } from "../store/login-tables.ts";
import type { Product } from "../store/products.ts";
import { getEngineRow } from "./look-up-engine.ts";

export async function connectionsOf(
  host: Pick<HostContext, "db">,
  product: Product,
  userId: string,
): Promise<Connection[]> {
  const engine = await getEngineRow(host, product, userId);
  return (await listConnections(host.db, engine.id)).map(connectionRecord);
}

/** Without what is sealed. */
const connectionRecord = (row: ConnectionRow): Connection => ({
  server: row.server,
  url: row.url,
  state: row.tokens === null ? "needs_login" : "connected",
  issuer: row.issuer,
  scopes: row.scopes,
  connected_at: isoTime(row.connected_at.getTime()),
  expires_at: row.expires_at === null ? null : isoTime(row.expires_at.getTime()),
  last_used_at: row.last_used_at === null ? null : isoTime(row.last_used_at.getTime()),
});
