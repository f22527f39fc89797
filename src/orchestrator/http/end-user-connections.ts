import { ApiError } from "../api-error.ts";
import type { EngineHost, Service } from "../host-context.ts";
import { beginConnection, deleteConnection } from "../operations/change-connection.ts";
import type { Refusal } from "../operations/reach-engine.ts";
import { connectionsOf } from "../status/look-up-connections.ts";
import { findUserOfEngine } from "../status/look-up-engine.ts";
import type { GatewayPath } from "./gateway-path.ts";
import type { Exchange } from "./upstream-call.ts";

const FORM = /^\/connections(?:\/([^/?]{1,256}))?\/?(?:\?.*)?$/;

/** Whether a call of an end user is about the own logins, which the daemon answers itself. */
export const isAboutConnections = (target: string): boolean => FORM.test(target);

/** Lists, begins and ends the logins of the token's user. Null when it has answered. */
export async function answerAboutConnections(
  host: EngineHost & Service,
  { engineId, target }: Pick<GatewayPath, "engineId" | "target">,
  { request: { method }, response }: Exchange,
): Promise<Refusal | null> {
  const found = await findUserOfEngine(host, engineId);
  if (found === null) return { code: "NOT_FOUND", message: "the engine was destroyed" };
  const { product, userId } = found;
  const [, named = ""] = FORM.exec(target) ?? [];
  try {
    const address = { userId, server: decodeURIComponent(named) };
    const [status, body] =
      method === "POST"
        ? [201, linkOf(await beginConnection(host, product, address))]
        : method === "DELETE"
          ? [200, await deleteConnection(host, product, address)]
          : [200, { data: await connectionsOf(host, product, userId) }];
    response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
    response.end(JSON.stringify(body));
    return null;
  } catch (error) {
    if (error instanceof URIError) return { code: "INVALID_REQUEST", message: "server: expected percent-encoding" };
    if (!(error instanceof ApiError)) throw error;
    const code = error.code === "SERVICE_UNAVAILABLE" || error.code === "POLICY_DENIED" ? error.code : "NOT_FOUND";
    return { code, message: error.message };
  }
}

const linkOf = ({ url, expiresAt }: Awaited<ReturnType<typeof beginConnection>>) => ({
  url,
  expires_at: expiresAt.toISOString(),
});
