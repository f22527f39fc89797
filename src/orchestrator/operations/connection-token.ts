import { createHash } from "node:crypto";
import type { LoginTarget } from "../../contract/engine/tool-login.ts";
import { delay } from "../../shared/clock.ts";
import type { HostContext } from "../host-context.ts";
import { SignInFailure } from "../identity/sign-in-failure.ts";
import { ToolLogin } from "../identity/tool-login.ts";
import {
  type ConnectionKey,
  type NewTokens,
  beginRefresh,
  dropTokens,
  findConnection,
  forgetLoginClient,
  lockConnection,
  replaceTokens,
  touchConnection,
} from "../store/connections.ts";
import type { Db } from "../store/database.ts";
import { findEngineById } from "../store/engines.ts";
import type { ConnectionRow } from "../store/login-tables.ts";
import type { CurrentToken } from "../supervision/refreshes-in-flight.ts";
import { loginCalls } from "./login-addresses.ts";
import { productOf } from "./open-login.ts";
import { withClientSecret } from "./client-secret.ts";
import { type SealedTokens, openTokens, sealTokens } from "./sealed-tokens.ts";

export type TokenHost = Pick<
  HostContext,
  | "db"
  | "box"
  | "now"
  | "settings"
  | "directory"
  | "events"
  | "logger"
  | "stopping"
  | "refreshes"
  | "secrets"
  | "metrics"
>;

/** A token is renewed this long before it expires. */
const EARLY_MS = 60_000;
/** How often the last use is stored. */
const TOUCH_MS = 60_000;
const RETRY_MS = 100;
/** What an authorization server says to a refresh token that is worth nothing any more. */
const FINAL: ReadonlySet<string> = new Set([
  "invalid_grant",
  "invalid_client",
  "unauthorized_client",
  "invalid_target",
]);

/** How the broker names a token that the tool server has refused. */
export const tokenHash = (token: string): string => createHash("sha256").update(token).digest("hex");

/**
 * The access token for a tool server, renewed when it is about to expire or was `rejected`. Only for the address at which
 * the user has signed in: another one, under the same name too, needs a login of its own.
 */
export async function connectionToken(
  host: TokenHost,
  engineId: string,
  { target: { server, url }, rejected }: { readonly target: LoginTarget; readonly rejected: string | null },
): Promise<CurrentToken> {
  const key = { engineId, server };
  const row = await findConnection(host.db, key);
  if (row === null || row.tokens === null || row.url !== url) return { kind: "login" };
  const used = row.last_used_at?.getTime() ?? 0;
  if (host.now() - used > TOUCH_MS) await touchConnection(host.db, key, new Date(host.now()));
  const tokens = openTokens(host, key, row.tokens);
  if (!isOver(host, row) && rejected !== tokenHash(tokens.accessToken)) return tokenOf(row, tokens);
  return refreshOnce(host, key, row.version);
}

const isOver = ({ now }: Pick<TokenHost, "now">, { expires_at: end }: ConnectionRow): boolean =>
  end !== null && end.getTime() - now() <= EARLY_MS;

const tokenOf = (
  { url, expires_at: expiresAt }: ConnectionRow,
  { accessToken: value }: SealedTokens,
): CurrentToken => ({
  kind: "token",
  value,
  url,
  expiresAt,
});

/** Calls for the same tokens share a refresh. */
export const refreshOnce = (host: TokenHost, key: ConnectionKey, version: string): Promise<CurrentToken> =>
  host.refreshes.run([key.engineId, key.server, version].join("\n"), () => refresh(host, key, version));

/**
 * Uses a refresh token. That it is about to be used is committed first, so that a daemon that finds a refresh which was cut
 * repeats it at once: an authorization server accepts the same token again for a while, if at all. The row is locked
 * meanwhile, also for other daemons. The answer is stored before anybody uses it, whatever becomes of the transaction.
 */
async function refresh(host: TokenHost, key: ConnectionKey, version: string): Promise<CurrentToken> {
  await beginRefresh(host.db, key, version);
  const received: { stored: NewTokens | null } = { stored: null };
  const locked = host.db.transaction().execute(async (trx): Promise<CurrentToken> => {
    const row = await lockConnection(trx, key);
    if (row === null || row.tokens === null) return { kind: "login" };
    const tokens = openTokens(host, key, row.tokens);
    // Another daemon was first.
    if (row.version !== version) return tokenOf(row, tokens);
    const outcome = await askForTokens(host, row, tokens);
    host.metrics.loginRefreshes.inc({ outcome: outcome.kind === "tokens" ? "renewed" : outcome.kind });
    if (outcome.kind === "refused") await giveUp(host, trx, row, outcome.reason);
    if (outcome.kind !== "tokens") return outcome.kind === "refused" ? { kind: "login" } : outcome;
    received.stored = outcome.stored;
    await replaceTokens(trx, key, outcome.stored);
    return { kind: "token", value: outcome.accessToken, url: row.url, expiresAt: outcome.stored.expiresAt };
  });
  return locked.catch(async (error: unknown) => {
    if (received.stored === null) throw error;
    await storeUntilDone(host, key, received.stored);
    throw error;
  });
}

/** The connection to the database was lost after the answer: the only copy of the new refresh token is here. */
async function storeUntilDone(host: TokenHost, key: ConnectionKey, tokens: NewTokens): Promise<void> {
  const { logger } = host;
  for (let tries = 0; tries < 600; tries++) {
    try {
      await replaceTokens(host.db, key, tokens);
      return;
    } catch (error) {
      if (tries % 50 === 0) logger.warn({ err: error, server: key.server }, "failed to store new tokens, retrying");
      await delay(RETRY_MS);
    }
  }
}

type Asked =
  | { readonly kind: "tokens"; readonly accessToken: string; readonly stored: NewTokens }
  | { readonly kind: "refused"; readonly reason: string }
  | Extract<CurrentToken, { readonly kind: "away" }>;

async function askForTokens(host: TokenHost, row: ConnectionRow, tokens: SealedTokens): Promise<Asked> {
  const key = { engineId: row.engine_id, server: row.server };
  const { refreshToken } = tokens;
  if (refreshToken === null) return { kind: "refused", reason: "the server gave no refresh token" };
  try {
    const { fetch } = loginCalls(await productOf(host, row));
    const fresh = await new ToolLogin(await withClientSecret(host, row, tokens), fetch).refresh(refreshToken);
    const next = { ...tokens, accessToken: fresh.accessToken, refreshToken: fresh.refreshToken ?? refreshToken };
    const expiresAt = fresh.expiresInS === null ? null : new Date(host.now() + fresh.expiresInS * 1000);
    const stored = { version: row.version, tokens: sealTokens(host, key, next), expiresAt };
    return { kind: "tokens", accessToken: fresh.accessToken, stored };
  } catch (error) {
    if (!(error instanceof SignInFailure)) throw error;
    const { message: reason, refusal } = error;
    return FINAL.has(refusal) ? { kind: "refused", reason: refusal } : { kind: "away", reason };
  }
}

/** The user has to sign in again, which the product hears of. */
async function giveUp(
  host: TokenHost,
  trx: Parameters<typeof dropTokens>[0],
  row: ConnectionRow,
  reason: string,
): Promise<void> {
  const key = { engineId: row.engine_id, server: row.server };
  if (!(await dropTokens(trx, key, row.version))) return;
  if (reason === "invalid_client" || reason === "unauthorized_client")
    await forgetLoginClient(trx, row.product_id, row.issuer);
  const engine = await engineOf(trx, row);
  if (engine !== null)
    await host.events.insert(trx, { type: "secret.needs_login", engine, reason, data: { server: row.server } });
}

const engineOf = (db: Db, { engine_id: id }: ConnectionRow) => findEngineById(db, id);
