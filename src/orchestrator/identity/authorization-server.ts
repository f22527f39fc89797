import * as z from "zod/mini";
import type { CustomFetch } from "openid-client";
import { SignInFailure } from "./sign-in-failure.ts";

const url = z.string().check(z.maxLength(2048));
const texts = z.array(z.string());

const description = z.object({
  issuer: url,
  authorization_endpoint: url,
  token_endpoint: url,
  registration_endpoint: z.exactOptional(url),
  revocation_endpoint: z.exactOptional(url),
  jwks_uri: z.exactOptional(url),
  scopes_supported: z.exactOptional(texts),
  code_challenge_methods_supported: z.exactOptional(texts),
  token_endpoint_auth_methods_supported: z.exactOptional(texts),
  revocation_endpoint_auth_methods_supported: z.exactOptional(texts),
  authorization_response_iss_parameter_supported: z.exactOptional(z.boolean()),
  client_id_metadata_document_supported: z.exactOptional(z.boolean()),
});
/** What an authorization server says of itself (RFC 8414). */
export type AuthorizationServer = z.output<typeof description>;

/**
 * Reads the metadata of an issuer, at the addresses of RFC 8414 and OpenID Connect Discovery. It must name this very
 * issuer, and support PKCE: otherwise codes and tokens could go to another one. Throws a `SignInFailure`.
 */
export async function describeIssuer(
  issuer: string,
  { fetch, urlProblem }: { readonly fetch: CustomFetch; readonly urlProblem: (url: string) => string | null },
): Promise<AuthorizationServer> {
  const host = URL.parse(issuer)?.host ?? "an issuer";
  const untrusted = (message: string) => new SignInFailure("untrusted", `${host}: ${message}`);
  const refusal = urlProblem(issuer) ?? (URL.parse(issuer)?.search === "" ? null : "expected an issuer without query");
  if (refusal !== null) throw untrusted(refusal);
  for (const address of addressesOf(issuer)) {
    const answer = await fetch(address, { method: "GET", headers: { accept: "application/json" } } as never);
    if (answer.status !== 200) continue;
    const read = z.safeParse(description, await answer.json().catch(() => null));
    if (!read.success) throw untrusted("no metadata of an authorization server");
    const server = read.data;
    if (server.issuer !== issuer) throw untrusted(`it calls itself another issuer`);
    if (server.code_challenge_methods_supported?.includes("S256") !== true)
      throw untrusted("it does not support PKCE with S256");
    const called = [server.authorization_endpoint, server.token_endpoint, server.registration_endpoint];
    for (const endpoint of [...called, server.revocation_endpoint]) {
      const problem = endpoint === undefined ? null : urlProblem(endpoint);
      if (problem !== null) throw untrusted(`an address of its metadata: ${problem}`);
    }
    return server;
  }
  throw untrusted("it has no metadata of an authorization server (RFC 8414)");
}

function addressesOf(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const inserted = ["oauth-authorization-server", "openid-configuration"].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return path === "" ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}
