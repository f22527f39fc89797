import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { ProtocolCall, ProtocolRequest } from "../protocol.ts";
import type { Exchange } from "./exchange.ts";
import { createServer } from "./mcp-server.ts";
import { elicitsForms } from "./session-id.ts";

const NEVER = new Promise<void>(() => {});

/**
 * Serves a call of the revision 2026-07-28, which has no sessions: each request carries what is known of its client, a
 * question is a result that asks for input, and a client that disconnects cancels its request.
 */
export async function serveModern({ request, response, calls }: ProtocolCall): Promise<void> {
  const exchange: Exchange = {
    resumed: null,
    cancelled: calls.gone,
    reached: async () => {},
    ask: null,
    left: NEVER,
  };
  const parts = {
    calls,
    exchangeOf: () => exchange,
    requiresInput: ({ server }: ReturnType<typeof createServer>) => elicitsForms(server.getClientCapabilities()),
  };
  const options = { legacy: "reject", keepAliveMs: calls.limits.heartbeatMs } as const;
  const { fetch } = createMcpHandler(() => createServer(parts), options);
  const answer = await fetch(webRequest(request, calls.gone), { parsedBody: request.body });
  if (calls.gone.aborted) return;
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) response.end();
  else await relay(answer.body, response, calls.gone);
}

async function relay(body: ReadableStream, response: ProtocolCall["response"], gone: AbortSignal): Promise<void> {
  try {
    await pipeline(Readable.fromWeb(body), response);
  } catch (error) {
    if (!gone.aborted) throw error;
  }
}

/** The request without its body, which is read already. */
export function webRequest({ method = "GET", headers, url = "/" }: ProtocolRequest, signal: AbortSignal): Request {
  const pairs = Object.entries(headers).flatMap(([name, value = []]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );
  return new Request(new URL(url, "http://localhost"), { method, headers: pairs, signal });
}
