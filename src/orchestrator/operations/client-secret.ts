import { isListed } from "../../shared/outside-addresses.ts";
import type { HostContext } from "../host-context.ts";
import { SignInFailure } from "../identity/sign-in-failure.ts";
import type { TokenSource } from "../identity/tool-login.ts";
import { findEngineById } from "../store/engines.ts";

/**
 * The client with its secret of the vault, read for this call: a new value counts at once. It goes to the secret's hosts
 * alone, so that a catalog cannot send it to an authorization server of its own.
 */
export async function withClientSecret(
  { db, secrets }: Pick<HostContext, "db" | "secrets">,
  { engine_id: engineId }: { readonly engine_id: string },
  { server, client, resource }: TokenSource,
): Promise<TokenSource> {
  const { secretName: name } = client;
  if (name === undefined) return { server, client, resource };
  const engine = await findEngineById(db, engineId);
  const key = engine === null ? null : { productId: engine.product_id, userId: engine.user_id, name };
  const secret = key === null ? null : await secrets.open(key);
  if (secret === null) throw new SignInFailure("unreachable", `the vault has no secret ${name}`);
  for (const address of [server.token_endpoint, server.revocation_endpoint ?? server.token_endpoint])
    if (!isListed(address, secret.hosts))
      throw new SignInFailure("unreachable", `the hosts of the secret ${name} do not list ${new URL(address).host}`);
  return { server, client: { ...client, secret: secret.value }, resource };
}
