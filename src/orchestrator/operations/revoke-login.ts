import { newId } from "../../shared/ids.ts";
import type { HostContext } from "../host-context.ts";
import { SignInFailure } from "../identity/sign-in-failure.ts";
import { ToolLogin } from "../identity/tool-login.ts";
import { withDeadline } from "../outbound/outside-deadline.ts";
import type { Trx } from "../store/database.ts";
import type { ConnectionRow, RevocationRow } from "../store/login-tables.ts";
import { deleteRevocation, insertRevocation } from "../store/revocations.ts";
import { withClientSecret } from "./client-secret.ts";
import { callsWithin } from "./login-addresses.ts";
import { type SealedTokens, openTokens, sealTokens } from "./sealed-tokens.ts";

export type RevokingHost = Pick<HostContext, "db" | "box" | "secrets" | "directory" | "logger" | "stopping">;

/** A command that prints the client's secret may hang, and a destroy waits for it. */
const SECRET_MS = 2000;
/** What another try does not change. */
const FINAL: ReadonlySet<string> = new Set([
  "access_denied",
  "invalid_client",
  "invalid_grant",
  "invalid_request",
  "unauthorized_client",
  "unsupported_token_type",
]);

/** A login that is about to be deleted. */
export type EndingLogin = Pick<ConnectionRow, "engine_id" | "product_id" | "host_id" | "server">;

/** What a revocation needs of what may be deleted before it. */
export interface LoginRemains {
  readonly privateHosts: readonly string[];
  /** The secret of its client, when that is in the vault. */
  readonly secret: string | null;
}

/** Null without tokens, and where no secret key of this deployment opens them: a login can be deleted then too. */
export function readableTokens(
  host: Pick<RevokingHost, "box" | "logger">,
  { engine_id, server, tokens }: ConnectionRow,
): SealedTokens | null {
  if (tokens === null) return null;
  try {
    return openTokens(host, { engineId: engine_id, server }, tokens);
  } catch (error) {
    host.logger.warn({ err: error, engine_id, server }, "failed to open the tokens of a deleted login");
    return null;
  }
}

/** Reads what must be known before a login is deleted, and its transaction begins. */
export async function remainsOf(
  host: RevokingHost,
  login: EndingLogin,
  tokens: SealedTokens | null,
): Promise<LoginRemains> {
  const privateHosts = (await host.directory.policyOf(login.product_id))?.private_hosts ?? [];
  if (tokens?.client.secretName === undefined) return { privateHosts, secret: null };
  const read = withDeadline({ timeoutMs: SECRET_MS }, () => withClientSecret(host, login, tokens));
  // Best effort: the revocation reads it again.
  const source = await read.catch((error: unknown) => {
    const { engine_id, server } = login;
    host.logger.warn({ err: error, engine_id, server }, "failed to read the secret of a client for a revocation");
    return null;
  });
  return { privateHosts, secret: source?.client.secret ?? null };
}

/**
 * Stores that tokens are to be ended at their authorization server, in the transaction that deletes them here. Null when
 * that server does not offer it.
 */
export async function revokeLater(
  host: Pick<RevokingHost, "box">,
  trx: Trx,
  login: EndingLogin,
  {
    tokens,
    remains: { privateHosts, secret },
    isTried = false,
  }: {
    readonly tokens: Pick<SealedTokens, "server" | "client" | "resource" | "accessToken" | "refreshToken">;
    readonly remains: LoginRemains;
    /** By the caller, after the commit. */
    readonly isTried?: boolean;
  },
): Promise<RevocationRow | null> {
  if (tokens.server.revocation_endpoint === undefined) return null;
  const { engine_id, product_id, host_id, server } = login;
  const { secretName: _, ...client } = tokens.client;
  const complete = secret === null ? tokens : { ...tokens, client: { ...client, secret } };
  const sealed = sealTokens(host, { engineId: engine_id, server }, complete);
  const row = { id: newId("rev"), engine_id, product_id, host_id, server, tokens: sealed };
  return insertRevocation(trx, { ...row, private_hosts: [...privateHosts] }, { isTried });
}

/** One try (RFC 7009). True when the authorization server has ended the tokens, or does not know them any more. */
export async function tryRevocation(host: RevokingHost, row: RevocationRow): Promise<boolean> {
  const { id, engine_id, server } = row;
  const tokens = openTokens(host, { engineId: engine_id, server }, row.tokens);
  const { fetch } = callsWithin(row.private_hosts, host.stopping);
  try {
    await new ToolLogin(await withClientSecret(host, row, tokens), fetch).revoke(tokens);
  } catch (error) {
    if (!(error instanceof SignInFailure)) throw error;
    const isFinal = FINAL.has(error.refusal);
    const fields = { engine_id, server, tries: row.tries, reason: error.message };
    host.logger.warn(fields, isFinal ? "the authorization server revokes no tokens" : "failed to revoke tokens");
    if (isFinal) await deleteRevocation(host.db, id);
    return false;
  }
  await deleteRevocation(host.db, id);
  return true;
}
