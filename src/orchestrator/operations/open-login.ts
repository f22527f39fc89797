import { sha256 } from "../../contract/orchestrator/api-keys.ts";
import type { HostContext } from "../host-context.ts";
import { type AuthorizationServer, describeIssuer } from "../identity/authorization-server.ts";
import { type LoginClient, newClient, preRegistered } from "../identity/login-client.ts";
import { describeResource } from "../identity/protected-resource.ts";
import { SignInFailure } from "../identity/sign-in-failure.ts";
import { ToolLogin } from "../identity/tool-login.ts";
import { findLoginClient, keepLoginClient } from "../store/connections.ts";
import { findEngineById } from "../store/engines.ts";
import type { LoginRow } from "../store/login-tables.ts";
import { beginLogin, findLogin } from "../store/logins.ts";
import type { Product } from "../store/products.ts";
import { loginAddresses, loginCalls } from "./login-addresses.ts";
import { sealFlow } from "./sealed-tokens.ts";

type Host = Pick<HostContext, "db" | "box" | "now" | "settings" | "directory">;

/** How long a browser may take at the authorization server. */
const STATE_MS = 600_000;

/** The login of a link that is valid. Throws a `SignInFailure`. */
export async function loginOfLink(host: Host, token: string): Promise<LoginRow> {
  const row = await findLogin(host.db, sha256(token));
  if (row === null || row.outcome !== null || hasExpired(host, row))
    throw new SignInFailure("expired", "the link is unknown, used or too old");
  return row;
}

/**
 * Where the browser of a person signs in who has agreed to. The login is bound to this browser until it comes back.
 * Throws a `SignInFailure`.
 */
export async function openLogin(
  host: Host,
  row: LoginRow,
  { browser }: { readonly browser: string },
): Promise<{ readonly url: string }> {
  const product = await productOf(host, row);
  const { fetch, urlProblem } = loginCalls(product);
  const { url, scopes: wanted, client_id: clientId } = row.target;
  const described = await describeResource(url, fetch);
  const server = await describeIssuer(described.issuer, { fetch, urlProblem });
  const client =
    clientId === null
      ? await clientOf(host, product, { server, fetch })
      : preRegistered(server, { id: clientId, secret: null });
  const scopes = wanted ?? described.scopes ?? [];
  const source = { server, client, resource: described.resource };
  const { callbackUrl } = loginAddresses(host);
  const login = await new ToolLogin(source, fetch).begin(callbackUrl, scopes);
  const isBegun = await beginLogin(host.db, row.hash, {
    stateHash: sha256(login.checks.state),
    browserHash: sha256(browser),
    until: new Date(host.now() + STATE_MS),
    flow: sealFlow(host, { ...source, scopes, checks: login.checks }),
  });
  if (!isBegun) throw new SignInFailure("expired", "the login has ended meanwhile");
  return { url: login.url };
}

/** For whom a login is: what its page says. */
export async function personOf(
  host: Host,
  row: LoginRow,
): Promise<{ readonly product: Product; readonly userId: string }> {
  const product = await productOf(host, row);
  const engine = await findEngineById(host.db, row.engine_id);
  if (engine === null) throw new SignInFailure("expired", "the engine was destroyed");
  return { product, userId: engine.user_id };
}

const hasExpired = ({ now }: Pick<Host, "now">, { expires_at: end }: LoginRow): boolean => end.getTime() - now() <= 0;

export async function productOf({ directory }: Pick<Host, "directory">, row: Pick<LoginRow, "product_id">) {
  const product = await directory.named(row.product_id);
  if (product === null) throw new SignInFailure("expired", "the product was deleted");
  return product;
}

/** A product is registered once at each authorization server. */
async function clientOf(
  host: Host,
  { record: { id: productId } }: Product,
  { server, fetch }: { readonly server: AuthorizationServer; readonly fetch: ReturnType<typeof loginCalls>["fetch"] },
): Promise<LoginClient> {
  const { callbackUrl, documentUrl } = loginAddresses(host);
  const place = { productId, issuer: server.issuer, callbackUrl };
  const known = async () => {
    const sealed = await findLoginClient(host.db, place);
    return sealed === null ? null : (JSON.parse(host.box.open(sealed)) as LoginClient);
  };
  const found = await known();
  if (found !== null) return found;
  const client = await newClient(server, { callbackUrl, documentUrl, fetch });
  await keepLoginClient(host.db, { ...place, client: host.box.seal(JSON.stringify(client)) });
  return (await known()) ?? client;
}
