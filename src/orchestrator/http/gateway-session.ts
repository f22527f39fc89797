import type { IncomingMessage, ServerResponse } from "node:http";
import type { EngineErrorCode } from "../../contract/engine/errors.ts";
import { ENGINE_KEY_HEADER } from "../../contract/engine/headers.ts";
import type { HostContext } from "../host-context.ts";
import { recordEngineCall } from "../operations/record-engine-call.ts";
import { daemonKey } from "../status/daemon-key.ts";
import { type SessionParts, admitSession, claimsSession } from "./admit-session.ts";
import { engineRole } from "./engine-role.ts";
import type { GatewayPath } from "./gateway-path.ts";
import { endWhenRefused } from "./stream-signal.ts";

interface SessionRefusal {
  readonly code: Extract<EngineErrorCode, "INVALID_REQUEST" | "INVALID_ENGINE_KEY" | "INSUFFICIENT_ROLE">;
  readonly message: string;
}

type EngineKeyVerdict =
  /** The header that authenticates the call at the engine. Empty for a call with its own key. */
  | { readonly kind: "admitted"; readonly keyHeader: Readonly<Record<string, string>> }
  | { readonly kind: "refused"; readonly refusal: SessionRefusal };

/** Authenticates a console session's call to an engine and adds the daemon's key. Calls without a session pass. */
export async function keyOfSession(
  host: Pick<HostContext, "db" | "sessions" | "box">,
  { site, cookie }: Omit<SessionParts, "host">,
  {
    request,
    response,
    path: { engineId, target },
  }: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly path: GatewayPath },
): Promise<EngineKeyVerdict> {
  if (!claimsSession(request)) return { kind: "admitted", keyHeader: {} };
  const { method = "GET" } = request;
  const changes = method !== "GET" && method !== "HEAD";
  const [pathname = ""] = target.split("?");
  const role = engineRole(method, pathname, new URLSearchParams(target.slice(pathname.length)));
  const verdict = await admitSession({ host, site, cookie }, request, { role });
  if (verdict.kind === "refused") {
    const { code, message } = verdict;
    return { kind: "refused", refusal: { code: code === "INVALID_SESSION" ? "INVALID_ENGINE_KEY" : code, message } };
  }
  const { session, isOpen: isStillAdmitted } = verdict;
  if (changes) await recordEngineCall(host, { session, engineId, method, path: pathname });
  endWhenRefused({ response, isStillAdmitted, end: () => response.destroy() });
  return { kind: "admitted", keyHeader: { [ENGINE_KEY_HEADER.toLowerCase()]: daemonKey(host, engineId) } };
}
