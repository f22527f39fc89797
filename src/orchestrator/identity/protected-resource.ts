import * as z from "zod/mini";
import type { CustomFetch } from "openid-client";
import { type BearerChallenge, readBearerChallenge } from "./bearer-challenge.ts";
import { SignInFailure } from "./sign-in-failure.ts";

const WELL_KNOWN = "/.well-known/oauth-protected-resource";
const MAX_SERVERS = 16;

const metadata = z.object({
  resource: z.string(),
  authorization_servers: z.array(z.string()).check(z.minLength(1), z.maxLength(MAX_SERVERS)),
  scopes_supported: z.optional(z.array(z.string())),
});

/** What a tool server says of tokens for it. */
export interface ProtectedResource {
  /** What tokens are for (RFC 8707). */
  readonly resource: string;
  /** The issuer that gives them. */
  readonly issuer: string;
  /** The scopes that its answer asks for, else those that it knows. */
  readonly scopes: readonly string[] | null;
}

/**
 * Asks a tool server who gives tokens for it (RFC 9728). What it says must be about this server: a token for another one
 * must never be sent to it. Throws a `SignInFailure`.
 */
export async function describeResource(url: string, fetch: CustomFetch): Promise<ProtectedResource> {
  const challenge = await askedFor(url, fetch);
  for (const address of addressesOf(url, challenge)) {
    const answer = await fetch(address, { method: "GET", headers: { accept: "application/json" } } as never);
    if (answer.status !== 200) continue;
    const read = z.safeParse(metadata, await answer.json().catch(() => null));
    if (!read.success) throw new SignInFailure("untrusted", `${address}: no metadata of a protected resource`);
    const { resource, authorization_servers: issuers, scopes_supported: known = null } = read.data;
    if (!covers(resource, url))
      throw new SignInFailure("untrusted", `${address}: it is about another server than ${new URL(url).host}`);
    const [issuer = ""] = issuers;
    return { resource, issuer, scopes: challenge.scope?.split(" ").filter(Boolean) ?? known };
  }
  throw new SignInFailure("untrusted", `${new URL(url).host}: it does not say who gives tokens for it (RFC 9728)`);
}

/** Calls the server without a token. One that answers otherwise than 401 says nothing. */
async function askedFor(url: string, fetch: CustomFetch): Promise<BearerChallenge> {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const answer = await fetch(url, { method: "POST", headers, body } as never);
  const header = answer.status === 401 ? answer.headers.get("www-authenticate") : null;
  return readBearerChallenge(header ?? undefined);
}

/** The address that the server names. Without one, those of RFC 9728: for its path, then for its host. */
function addressesOf(url: string, { metadataUrl }: BearerChallenge): readonly string[] {
  if (metadataUrl !== null) return [metadataUrl];
  const { origin, pathname } = new URL(url);
  return [...new Set([`${origin}${WELL_KNOWN}${pathname.replace(/\/$/, "")}`, `${origin}${WELL_KNOWN}`])];
}

/** Whether a resource is the server, or a part of its host that contains it. */
export function covers(resource: string, url: string): boolean {
  const [whole, part] = [URL.parse(resource), URL.parse(url)];
  if (whole === null || part === null || whole.origin !== part.origin || whole.hash !== "") return false;
  if (whole.search !== "" && whole.search !== part.search) return false;
  const folder = whole.pathname.endsWith("/") ? whole.pathname : `${whole.pathname}/`;
  return part.pathname === whole.pathname || part.pathname.startsWith(folder);
}
