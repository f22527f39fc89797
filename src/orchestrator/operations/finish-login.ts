import { sha256 } from "../../contract/orchestrator/api-keys.ts";
import type { LoginOutcome } from "../../contract/engine/tool-login.ts";
import type { HostContext } from "../host-context.ts";
import { SignInFailure } from "../identity/sign-in-failure.ts";
import { ToolLogin, type Tokens } from "../identity/tool-login.ts";
import { putConnection } from "../store/connections.ts";
import type { Trx } from "../store/database.ts";
import { findEngineById } from "../store/engines.ts";
import type { LoginRow } from "../store/login-tables.ts";
import { endLogin, takeState } from "../store/logins.ts";
import { loginAddresses, loginCalls } from "./login-addresses.ts";
import { productOf } from "./open-login.ts";
import { type LoginFlow, openFlow, sealTokens } from "./sealed-tokens.ts";

type Host = Pick<HostContext, "db" | "box" | "now" | "settings" | "directory" | "events">;

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
  const { fetch } = loginCalls(await productOf(host, row));
  const { callbackUrl } = loginAddresses(host);
  try {
    const tokens = await new ToolLogin(flow, fetch).finish(callbackUrl, query, flow.checks);
    await keep(host, row, { flow, tokens });
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
  { flow, tokens }: { readonly flow: LoginFlow; readonly tokens: Tokens },
): Promise<void> {
  const now = host.now();
  const key = { engineId: row.engine_id, server: row.server };
  const engine = await findEngineById(host.db, row.engine_id);
  if (engine === null) throw new SignInFailure("expired", "the engine was destroyed");
  await host.db.transaction().execute(async (trx) => {
    await ended(trx, row, "signed_in");
    await putConnection(trx, {
      engine_id: key.engineId,
      server: key.server,
      product_id: row.product_id,
      host_id: row.host_id,
      url: row.target.url,
      issuer: flow.server.issuer,
      scopes: tokens.scope?.split(" ").filter(Boolean) ?? [...flow.scopes],
      tokens: sealTokens(host, key, { ...flow, ...tokens }),
      expires_at: tokens.expiresInS === null ? null : new Date(now + tokens.expiresInS * 1000),
      connected_at: new Date(now),
    });
    await host.events.insert(trx, { type: "secret.connected", engine, data: { server: row.server } });
  });
}

async function ended(trx: Trx, row: LoginRow, outcome: LoginOutcome): Promise<void> {
  if (!(await endLogin(trx, row.hash, outcome))) throw new SignInFailure("expired", "the login has ended meanwhile");
}
