import * as z from "zod/mini";
import type { CustomFetch } from "openid-client";
import type { AuthorizationServer } from "./authorization-server.ts";
import { SignInFailure } from "./sign-in-failure.ts";

const AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post"] as const;
type AuthMethod = (typeof AUTH_METHODS)[number];

/** How this deployment is known to an authorization server. */
export interface LoginClient {
  readonly id: string;
  readonly secret: string | null;
  readonly auth: AuthMethod;
}

const registered = z.object({
  client_id: z.string().check(z.minLength(1), z.maxLength(2048)),
  client_secret: z.optional(z.string().check(z.minLength(1), z.maxLength(2048))),
  token_endpoint_auth_method: z.optional(z.enum(AUTH_METHODS)),
});

/** What this deployment says of itself, to authorization servers that read it or register it. */
export const clientMetadata = (callbackUrl: string) => ({
  client_name: "orchd",
  redirect_uris: [callbackUrl],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
});

/** A client that the operator of the authorization server has registered. */
export function preRegistered(
  { token_endpoint_auth_methods_supported: supported = ["client_secret_basic"] }: AuthorizationServer,
  { id, secret }: Pick<LoginClient, "id" | "secret">,
): LoginClient {
  const auth = secret === null ? "none" : supported.includes("client_secret_basic") ? AUTH_METHODS[1] : AUTH_METHODS[2];
  return { id, secret, auth };
}

/**
 * The client of an authorization server that nobody has registered: by the address of a document about it, where the
 * server reads such, else by dynamic registration (RFC 7591). Throws a `SignInFailure`.
 */
export async function newClient(
  server: AuthorizationServer,
  {
    callbackUrl,
    documentUrl,
    fetch,
  }: { readonly callbackUrl: string; readonly documentUrl: string; readonly fetch: CustomFetch },
): Promise<LoginClient> {
  // Servers read it over TLS alone.
  if (server.client_id_metadata_document_supported === true && documentUrl.startsWith("https:"))
    return { id: documentUrl, secret: null, auth: "none" };
  const { host } = new URL(server.issuer);
  if (server.registration_endpoint === undefined)
    throw new SignInFailure("refused", `${host}: it registers no clients by itself; set client_id of the tool server`);
  const answer = await fetch(server.registration_endpoint, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(clientMetadata(callbackUrl)),
  } as never);
  const read = z.safeParse(registered, await answer.json().catch(() => null));
  if ((answer.status !== 201 && answer.status !== 200) || !read.success)
    throw new SignInFailure("refused", `${host}: it refused to register a client, with the status ${answer.status}`);
  const { client_id: id, client_secret: secret = null, token_endpoint_auth_method: auth } = read.data;
  return { id, secret, auth: auth ?? (secret === null ? "none" : "client_secret_basic") };
}
