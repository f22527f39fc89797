import { SSEClientTransport, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { boundedFetch } from "./bounded-fetch.ts";
import { ConnectFailed, openConnection } from "./client-connection.ts";
import type { ConnectParams, McpServerConnection } from "./connection.ts";
import type { HttpServerConfig } from "./server-config.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** The loader compares it with its own: an upgrade may have replaced this bundle. */
export { VERSION } from "../../shared/version.ts";

/** Connects once, falling back to the older protocol version or transport where the server requires it. */
export async function connectServer(params: ConnectParams): Promise<McpServerConnection> {
  const { server, signal, log } = params;
  if (server.transport === "stdio") {
    try {
      return await openConnection(params, new StdioTransport(server, params), "auto");
    } catch (error) {
      // Some old servers exit at a request they do not know.
      if (signal.aborted || !(error instanceof ConnectFailed && error.exited)) throw error;
      return openConnection(params, new StdioTransport(server, params), "legacy");
    }
  }
  if (server.transport === "sse") return openConnection(params, sse(server), "legacy");
  try {
    return await openConnection(params, streamableHttp(server), "auto");
  } catch (error) {
    if (signal.aborted || !(error instanceof ConnectFailed && error.refused)) throw error;
    log.debug(`streamable HTTP failed (${error.message}); trying HTTP with SSE`);
    return openConnection(params, sse(server), "legacy").catch(() => {
      throw error;
    });
  }
}

const streamableHttp = ({ url, headers }: HttpServerConfig): Transport =>
  new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, fetch: boundedFetch });

const sse = ({ url, headers }: HttpServerConfig): Transport =>
  new SSEClientTransport(new URL(url), { requestInit: { headers }, fetch: boundedFetch });
