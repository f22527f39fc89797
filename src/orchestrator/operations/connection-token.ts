import { createHash } from "node:crypto";
import type { LoginTarget } from "../../contract/engine/tool-login.ts";
import { findConnection, touchConnection } from "../store/connections.ts";
import type { ConnectionRow } from "../store/login-tables.ts";
import type { CurrentToken } from "../supervision/refreshes-in-flight.ts";
import { type TokenHost, refreshOnce, tokenOf } from "./refresh-login.ts";
import { openTokens } from "./sealed-tokens.ts";

/** A token is renewed this long before it expires. */
const EARLY_MS = 60_000;
/** How often the last use is stored. */
const TOUCH_MS = 60_000;

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
