import { sha256 } from "../../contract/orchestrator/api-keys.ts";
import { inBackground } from "../../shared/background.ts";
import { delay } from "../../shared/clock.ts";
import type { HostContext } from "../host-context.ts";
import { onceFetch } from "../identity/once-fetch.ts";
import type { OutsideFetch } from "../identity/outside-fetch.ts";
import { SignInFailure } from "../identity/sign-in-failure.ts";
import { ToolLogin } from "../identity/tool-login.ts";
import {
  type ConnectionKey,
  type NewTokens,
  beginRefresh,
  dropTokens,
  findConnection,
  forgetLoginClient,
  lockRefresh,
  replaceTokens,
} from "../store/connections.ts";
import type { Trx } from "../store/database.ts";
import { findEngineById } from "../store/engines.ts";
import type { ConnectionRow } from "../store/login-tables.ts";
import type { CurrentToken } from "../supervision/refreshes-in-flight.ts";
import { withClientSecret } from "./client-secret.ts";
import { CALL_MS, loginCalls } from "./login-addresses.ts";
import { productOf } from "./open-login.ts";
import { type LoginRemains, revokeLater } from "./revoke-login.ts";
import { type SealedTokens, openTokens, sealTokens } from "./sealed-tokens.ts";

export type TokenHost = Pick<
  HostContext,
  | "db"
  | "box"
  | "broker"
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

const RETRY_MS = 100;
/** What an authorization server says to a refresh token that is worth nothing any more. */
const FINAL: ReadonlySet<string> = new Set([
  "invalid_grant",
  "invalid_client",
  "unauthorized_client",
  "invalid_target",
]);

export const tokenOf = (
  { url, expires_at: expiresAt }: ConnectionRow,
  { accessToken: value }: SealedTokens,
): CurrentToken => ({ kind: "token", value, url, expiresAt });

/** Calls for the same tokens share a refresh. */
export const refreshOnce = (host: TokenHost, key: ConnectionKey, version: string): Promise<CurrentToken> =>
  host.refreshes.run([key.engineId, key.server, version].join("\n"), () => refresh(host, key, version));

/**
 * Uses a refresh token, which counts once at a strict authorization server. That it is about to be used is committed
 * first, so that a daemon that finds a refresh which was cut repeats it at once: it gets the answer that the broker has
 * kept. One daemon at a time does. The answer is stored before anybody uses it, whatever becomes of the transaction.
 */
async function refresh(host: TokenHost, key: ConnectionKey, version: string): Promise<CurrentToken> {
  await beginRefresh(host.db, key, version);
  const received: { fresh: Fresh | null } = { fresh: null };
  const locked = host.db.transaction().execute(async (trx): Promise<CurrentToken> => {
    const row = await lockRefresh(trx, key);
    // Another daemon was first.
    if (row === null || row.tokens === null || row.version !== version) return currentToken(host, row);
    const outcome = await askForTokens(host, row, openTokens(host, key, row.tokens));
    host.metrics.loginRefreshes.inc({ outcome: outcome.kind === "tokens" ? "renewed" : outcome.kind });
    if (outcome.kind === "away") return outcome;
    if (outcome.kind === "refused") await giveUp(host, trx, row, outcome.reason);
    else {
      received.fresh = outcome;
      if (!(await replaceTokens(trx, key, outcome.stored))) await endUnused(host, trx, row, outcome);
    }
    return currentToken(host, await findConnection(trx, key));
  });
  const token = await locked.catch(async (error: unknown) => {
    if (received.fresh === null) throw error;
    await storeUntilDone(host, key, received.fresh.stored);
    throw error;
  });
  if (received.fresh !== null) inBackground("end of a refresh", received.fresh.forget());
  return token;
}

/** What a row has by now: it may have been deleted meanwhile, or be of a new login. */
function currentToken(host: TokenHost, row: ConnectionRow | null): CurrentToken {
  if (row === null || row.tokens === null) return { kind: "login" };
  return tokenOf(row, openTokens(host, { engineId: row.engine_id, server: row.server }, row.tokens));
}

/** The connection to the database was lost after the answer: the only copy of the new refresh token may be here. */
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

interface Fresh {
  readonly kind: "tokens";
  readonly tokens: SealedTokens;
  readonly stored: NewTokens;
  readonly remains: LoginRemains;
  /** They are stored, and nobody else has to keep them. */
  readonly forget: () => Promise<void>;
}

type Asked =
  | Fresh
  | { readonly kind: "refused"; readonly reason: string }
  | Extract<CurrentToken, { readonly kind: "away" }>;

async function askForTokens(host: TokenHost, row: ConnectionRow, tokens: SealedTokens): Promise<Asked> {
  const key = { engineId: row.engine_id, server: row.server };
  const { refreshToken } = tokens;
  if (refreshToken === null) return { kind: "refused", reason: "the server gave no refresh token" };
  try {
    const product = await productOf(host, row);
    const { private_hosts: privateHosts } = product.record.policy;
    const source = await withClientSecret(host, row, tokens);
    const { fetch, forget } = fetchOnce(host, {
      // Of this use of this refresh token, whichever daemon makes it.
      id: sha256(JSON.stringify([row.engine_id, row.server, row.version, refreshToken])),
      endpoint: source.server.token_endpoint,
      privateHosts,
      plain: loginCalls(product).fetch,
    });
    const fresh = await new ToolLogin(source, fetch).refresh(refreshToken);
    const next = { ...tokens, accessToken: fresh.accessToken, refreshToken: fresh.refreshToken ?? refreshToken };
    const expiresAt = fresh.expiresInS === null ? null : new Date(host.now() + fresh.expiresInS * 1000);
    const stored = { version: row.version, tokens: sealTokens(host, key, next), expiresAt };
    const secret = tokens.client.secretName === undefined ? null : source.client.secret;
    return { kind: "tokens", tokens: next, stored, remains: { privateHosts, secret }, forget };
  } catch (error) {
    if (!(error instanceof SignInFailure)) throw error;
    const { message: reason, refusal } = error;
    return FINAL.has(refusal) ? { kind: "refused", reason: refusal } : { kind: "away", reason };
  }
}

interface OnceUse {
  readonly id: string;
  readonly endpoint: string;
  readonly privateHosts: readonly string[];
  readonly plain: OutsideFetch;
}

/** Where this host runs a broker, that sends the request: its answer outlives this daemon. */
function fetchOnce(
  { broker }: Pick<TokenHost, "broker">,
  { id, endpoint, privateHosts, plain }: OnceUse,
): { readonly fetch: OutsideFetch; readonly forget: () => Promise<void> } {
  const road = broker?.once ?? null;
  if (road === null) return { fetch: plain, forget: () => Promise.resolve() };
  const fetch = onceFetch({
    endpoint,
    plain,
    send: (form) => road.send({ id, ...form, private_hosts: privateHosts }, CALL_MS),
  });
  return { fetch, forget: () => road.stored(id) };
}

/** The login was deleted while its tokens were renewed. Those of a login that has replaced it may be of the same grant. */
async function endUnused(host: TokenHost, trx: Trx, row: ConnectionRow, { tokens, remains }: Fresh): Promise<void> {
  const isDeleted = (await findConnection(trx, { engineId: row.engine_id, server: row.server })) === null;
  if (isDeleted) await revokeLater(host, trx, row, { tokens, remains });
}

/** The user has to sign in again, which the product hears of. */
async function giveUp(host: TokenHost, trx: Trx, row: ConnectionRow, reason: string): Promise<void> {
  const key = { engineId: row.engine_id, server: row.server };
  if (!(await dropTokens(trx, key, row.version))) return;
  if (reason === "invalid_client" || reason === "unauthorized_client")
    await forgetLoginClient(trx, row.product_id, row.issuer);
  const engine = await findEngineById(trx, row.engine_id);
  if (engine !== null)
    await host.events.insert(trx, { type: "secret.needs_login", engine, reason, data: { server: row.server } });
}
