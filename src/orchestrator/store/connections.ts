import { type Insertable, sql } from "kysely";
import type { Db, Trx } from "./database.ts";
import type { ConnectionRow, ConnectionsTable } from "./login-tables.ts";

/** Which connection: of this engine's user at this tool server. */
export interface ConnectionKey {
  readonly engineId: string;
  readonly server: string;
}

/** New tokens. `version`: of those that they replace. */
export interface NewTokens {
  readonly version: string;
  readonly tokens: Buffer;
  readonly expiresAt: Date | null;
}

export async function findConnection(db: Db, { engineId, server }: ConnectionKey): Promise<ConnectionRow | null> {
  const query = db.selectFrom("connections").selectAll().where("engine_id", "=", engineId);
  return (await query.where("server", "=", server).executeTakeFirst()) ?? null;
}

/**
 * One daemon at a time uses a refresh token, until the end of the transaction. The row itself is not locked: nobody who
 * deletes it waits for an authorization server.
 */
export async function lockRefresh(trx: Trx, key: ConnectionKey): Promise<ConnectionRow | null> {
  const { engineId, server } = key;
  await sql`select pg_advisory_xact_lock(hashtext('orchd refresh'), hashtext(${`${engineId} ${server}`}))`.execute(trx);
  return findConnection(trx, key);
}

export const listConnections = (db: Db, engineId: string): Promise<ConnectionRow[]> =>
  db.selectFrom("connections").selectAll().where("engine_id", "=", engineId).orderBy("server").execute();

/** Stores what a login gave, in place of an earlier one. */
export async function putConnection(trx: Trx, row: Insertable<ConnectionsTable>): Promise<void> {
  const { url, issuer, scopes, tokens, expires_at, connected_at } = row;
  await trx
    .insertInto("connections")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["engine_id", "server"]).doUpdateSet({
        url,
        issuer,
        scopes,
        tokens,
        expires_at,
        connected_at,
        refresh_started_at: null,
        version: sql<string>`connections.version + 1`,
      }),
    )
    .execute();
}

/** Remembers that the refresh token is about to be used. */
export async function beginRefresh(db: Db, { engineId, server }: ConnectionKey, version: string): Promise<void> {
  await db
    .updateTable("connections")
    .set({ refresh_started_at: sql<Date>`now()` })
    .where("engine_id", "=", engineId)
    .where("server", "=", server)
    .where("version", "=", version)
    .execute();
}

/** Stores new tokens in place of those with this version. False when others are stored by now, or none. */
export async function replaceTokens(
  db: Db,
  { engineId, server }: ConnectionKey,
  { version, tokens, expiresAt }: NewTokens,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("connections")
    .set({ tokens, expires_at: expiresAt, refresh_started_at: null, version: sql<string>`version + 1` })
    .where("engine_id", "=", engineId)
    .where("server", "=", server)
    .where("version", "=", version)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Removes tokens that are worth nothing any more. False when others are stored by now. */
export async function dropTokens(trx: Trx, { engineId, server }: ConnectionKey, version: string): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable("connections")
    .set({ tokens: null, expires_at: null, refresh_started_at: null, version: sql<string>`version + 1` })
    .where("engine_id", "=", engineId)
    .where("server", "=", server)
    .where("version", "=", version)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function touchConnection(db: Db, { engineId, server }: ConnectionKey, at: Date): Promise<void> {
  await db
    .updateTable("connections")
    .set({ last_used_at: at })
    .where("engine_id", "=", engineId)
    .where("server", "=", server)
    .execute();
}

/** Null when there was none. */
export async function takeConnection(trx: Trx, { engineId, server }: ConnectionKey): Promise<ConnectionRow | null> {
  const query = trx.deleteFrom("connections").where("engine_id", "=", engineId).where("server", "=", server);
  return (await query.returningAll().executeTakeFirst()) ?? null;
}

/** Refreshes of this host that have begun so long ago, and not ended. */
export const cutRefreshes = (db: Db, hostId: string, ageMs: number): Promise<ConnectionRow[]> =>
  db
    .selectFrom("connections")
    .selectAll()
    .where("host_id", "=", hostId)
    .where("refresh_started_at", "<", sql<Date>`now() - make_interval(secs => ${ageMs / 1000})`)
    .limit(100)
    .execute();

/** The client of a product at an authorization server, sealed. */
export async function findLoginClient(
  db: Db,
  {
    productId,
    issuer,
    callbackUrl,
  }: { readonly productId: string; readonly issuer: string; readonly callbackUrl: string },
): Promise<Buffer | null> {
  const query = db.selectFrom("login_clients").select("client").where("product_id", "=", productId);
  const found = await query.where("issuer", "=", issuer).where("callback_url", "=", callbackUrl).executeTakeFirst();
  return found?.client ?? null;
}

/** Keeps the first of several that are registered at once. */
export async function keepLoginClient(
  db: Db,
  row: { readonly productId: string; readonly issuer: string; readonly callbackUrl: string; readonly client: Buffer },
): Promise<void> {
  const { productId, issuer, callbackUrl, client } = row;
  await db
    .insertInto("login_clients")
    .values({ product_id: productId, issuer, callback_url: callbackUrl, client })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** For a client that the authorization server does not know any more. */
export async function forgetLoginClient(db: Db, productId: string, issuer: string): Promise<void> {
  await db.deleteFrom("login_clients").where("product_id", "=", productId).where("issuer", "=", issuer).execute();
}
