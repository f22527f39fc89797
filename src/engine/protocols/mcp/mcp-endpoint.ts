import { isLegacyRequest } from "@modelcontextprotocol/server";
import type { EngineCalls } from "../engine-calls.ts";
import type { ProtocolHandler, ProtocolModule } from "../protocol.ts";
import { serveLegacy } from "./legacy-call.ts";
import { serveModern, webRequest } from "./modern-call.ts";

const OWN_HOST = /^(localhost|([\w-]+\.)+localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Against DNS rebinding: a page of another site is refused, also where its name leads to this host. Pages that the policy
 * allows call the daemon's `/me`, which checks their origin and does not pass it on.
 */
function isForeign(origin: string): boolean {
  const url = URL.parse(origin);
  return url === null || !OWN_HOST.test(url.hostname);
}

/** Characters of the id and the progress token of a request, which each frame of its answer repeats. */
const MAX_ID = 1000;

function assertShortIds(calls: EngineCalls, body: unknown): void {
  const { id, params } = Object(body) as { readonly id?: unknown; readonly params?: unknown };
  const { _meta: meta } = Object(params) as { readonly _meta?: unknown };
  const { progressToken } = Object(meta) as { readonly progressToken?: unknown };
  for (const [field, value] of Object.entries({ id, "params._meta.progressToken": progressToken }))
    if (typeof value === "string" && value.length > MAX_ID)
      throw calls.error("INVALID_REQUEST", `${field}: expected at most ${MAX_ID} characters`);
}

const serve: ProtocolHandler = async (call) => {
  const { request, calls } = call;
  assertShortIds(calls, request.body);
  const { origin } = request.headers;
  if (origin !== undefined && isForeign(origin))
    throw calls.error("ORIGIN_NOT_ALLOWED", "Origin: pages of other sites call the daemon's /me");
  const isLegacy = await isLegacyRequest(webRequest(request, calls.gone), request.body ?? null);
  await (isLegacy ? serveLegacy(call) : serveModern(call));
};

/** Model Context Protocol: the engine as a server of tools. */
export const handlers: ProtocolModule["handlers"] = { mcpSend: serve, mcpContinue: serve };
