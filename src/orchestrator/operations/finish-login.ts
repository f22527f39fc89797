import { sha256 } from "../../contract/orchestrator/api-keys.ts";
import type { LoginOutcome } from "../../contract/engine/tool-login.ts";
import type { HostContext } from "../host-context.ts";
import { SignInFailure } from "../identity/sign-in-failure.ts";
import { ToolLogin, type Tokens } from "../identity/tool-login.ts";
import { putConnection } from "../store/connections.ts";
import type { Trx } from "../store/database.ts";
import { findSettledEngine } from "../store/engines.ts";
import type { LoginRow } from "../store/login-tables.ts";
import { endLogin, takeState } from "../store/logins.ts";
import { loginAddresses, loginCalls } from "./login-addresses.ts";
import { productOf } from "./open-login.ts";
import { withClientSecret } from "./client-secret.ts";
import { type LoginRemains, revokeLater } from "./revoke-login.ts";
import { type LoginFlow, openFlow, sealTokens } from "./sealed-tokens.ts";

type Host = Pick<HostContext, "db" | "box" | "now" | "settings" | "directory" | "events" | "secrets">;

interface Callback {
  /** As the browser sent it. */
  readonly query: string;
  /** The browser's cookie. */
  readonly browser: string | null;
}

/** A login that has ended. */
export interface EndedLogin {
  readonly row: LoginRow;
  readonly outcome: LoginOutcome;
}

/**
 * Exchanges the code of a callback and stores the tokens. A state counts once, in the browser that it was sent with. What
 * fails for another reason than the person's refusal leaves the link valid. Throws a `SignInFailure`.
 */
export async function finishLogin(host: Host, { query, browser }: Callback): Promise<EndedLogin> {
  const state = new URLSearchParams(query).get("state") ?? "";
  const place = { stateHash: sha256(state), browserHash: sha256(browser ?? ""), now: new Date(host.now()) };
  const row = browser === null ? null : await takeState(host.db, place);
  if (row === null || row.flow === null)
    throw new SignInFailure("expired", "this browser has begun no login with this state");
  const flow = openFlow(host, row.flow);
  const product = await productOf(host, row);
  const { callbackUrl } = loginAddresses(host);
  try {
    const source = await withClientSecret(host, row, flow);
    const tokens = await new ToolLogin(source, loginCalls(product).fetch).finish(callbackUrl, query, flow.checks);
    const remains = {
      privateHosts: product.record.policy.private_hosts,
      secret: flow.client.secretName === undefined ? null : source.client.secret,
    };
    await keep(host, row, { flow, tokens, remains });
    return { row, outcome: "signed_in" };
  } catch (error) {
    const isRefused = error instanceof SignInFailure && error.refusal === "access_denied";
    if (!isRefused) throw error;
    return refuseLogin(host, row);
  }
}

/** The person does not want to sign in. */
export async function refuseLogin({ db }: Pick<Host, "db">, row: LoginRow): Promise<EndedLogin> {
  await db.transaction().execute((trx) => ended(trx, row, "refused"));
  return { row, outcome: "refused" };
}

async function keep(
  host: Host,
  row: LoginRow,
  { flow, tokens, remains }: { readonly flow: LoginFlow; readonly tokens: Tokens; readonly remains: LoginRemains },
): Promise<void> {
  const now = host.now();
  const key = { engineId: row.engine_id, server: row.server };
  const login = { ...flow, ...tokens };
  const isKept = await host.db.transaction().execute(async (trx) => {
    // Locked, so that a destroy finds this login, or this login the destroy.
    const engine = await findSettledEngine(trx, row.engine_id);
    if (engine === null || engine.state === "destroying") {
      await revokeLater(host, trx, row, { tokens: login, remains });
      return false;
    }
    await ended(trx, row, "signed_in");
    await putConnection(trx, {
      engine_id: key.engineId,
      server: key.server,
      product_id: row.product_id,
      host_id: row.host_id,
      url: row.target.url,
      issuer: flow.server.issuer,
      scopes: tokens.scope?.split(" ").filter(Boolean) ?? [...flow.scopes],
      tokens: sealTokens(host, key, login),
      expires_at: tokens.expiresInS === null ? null : new Date(now + tokens.expiresInS * 1000),
      connected_at: new Date(now),
    });
    await host.events.insert(trx, { type: "secret.connected", engine, data: { server: row.server } });
    return true;
  });
  if (!isKept) throw new SignInFailure("expired", "the engine was destroyed");
}

async function ended(trx: Trx, row: LoginRow, outcome: LoginOutcome): Promise<void> {
  if (!(await endLogin(trx, row.hash, outcome))) throw new SignInFailure("expired", "the login has ended meanwhile");
}
