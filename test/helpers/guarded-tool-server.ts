import { once } from "node:events";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import {
  McpServer,
  OAuthError,
  OAuthErrorCode,
  createMcpHandler,
  getOAuthProtectedResourceMetadataUrl,
  oauthMetadataResponse,
  requireBearerAuth,
} from "@modelcontextprotocol/server";
import type { Test } from "tap";
import type { AuthorizationServer } from "./authorization-server.ts";
import { freePort } from "./daemon.ts";

export interface GuardedToolServer {
  readonly url: string;
  /** The `Authorization` of each call with one. */
  readonly tokens: string[];
  readonly port: number;
  calls: number;
}

/**
 * A tool server of the official SDK with its own check of tokens: only tokens of this authorization server that are for
 * this server. Its tool `whoami` says who is signed in.
 */
export async function startGuardedToolServer(
  t: Test,
  authorization: Pick<AuthorizationServer, "issuer" | "lookUp">,
  {
    path = "/mcp",
    resource,
    host = "127.0.0.1",
  }: { readonly path?: string; readonly resource?: string; readonly host?: string } = {},
): Promise<GuardedToolServer> {
  const port = await freePort();
  const url = new URL(`http://${host}:${port}${path}`);
  const resourceServerUrl = new URL(resource ?? url.href);
  const { issuer } = authorization;
  const metadata = {
    resourceServerUrl,
    oauthMetadata: {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      response_types_supported: ["code"],
    },
    scopesSupported: ["tools"],
    // Of an address that containers reach.
    dangerouslyAllowInsecureIssuerUrl: host !== "127.0.0.1",
  };
  const gate = requireBearerAuth({
    verifier: {
      verifyAccessToken: async (token) => {
        const found = await authorization.lookUp(token);
        if (found === null) throw new OAuthError(OAuthErrorCode.InvalidToken, "unknown token");
        const { clientId, scopes, expiresAt, audience, subject } = found;
        return { token, clientId, scopes, expiresAt, resource: new URL(audience), extra: { subject } };
      },
    },
    requiredScopes: ["tools"],
    resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(url),
    expectedResource: url,
  });
  const handler = createMcpHandler(({ authInfo }) => {
    const server = new McpServer({ name: "guarded", version: "1" });
    server.registerTool("whoami", { description: "Says who is signed in." }, () => ({
      content: [{ type: "text", text: `you are ${String(authInfo?.extra?.["subject"])}` }],
    }));
    return server;
  });
  const one: GuardedToolServer = { url: url.href, tokens: [], port, calls: 0 };
  const answer = async (request: Request): Promise<Response> => {
    const document = oauthMetadataResponse(request, metadata);
    if (document !== undefined) return document;
    one.calls++;
    const given = request.headers.get("authorization");
    if (given !== null) one.tokens.push(given);
    const authInfo = await gate(request);
    return authInfo instanceof Response ? authInfo : handler.fetch(request, { authInfo });
  };
  const server = createServer((incoming, outgoing) => {
    const serve = async () => {
      const { method = "GET" } = incoming;
      const body = method === "POST" ? await buffer(incoming) : undefined;
      const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
      const request = new Request(new URL(incoming.url ?? "/", url), {
        method,
        headers,
        ...(body !== undefined && { body: new Uint8Array(body) }),
      });
      const response = await answer(request);
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      for await (const chunk of response.body ?? []) outgoing.write(chunk);
      outgoing.end();
    };
    serve().catch(() => outgoing.destroy());
  });
  server.listen(port, host);
  await once(server, "listening");
  t.teardown(async () => {
    await handler.close?.();
    server.closeAllConnections();
    server.close();
  });
  return one;
}
