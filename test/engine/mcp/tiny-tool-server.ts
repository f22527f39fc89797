import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Test } from "tap";

/** A server over HTTP in a few lines; `respond` answers a call of its only tool by itself. */
export async function tinyToolServer(
  t: Test,
  respond: (response: ServerResponse, id: number) => void,
  host = "127.0.0.1",
): Promise<{ url: string; seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    if (request.method !== "POST") {
      response.writeHead(405).end();
      return;
    }
    void text(request).then((body) => {
      const { id, method, params } = JSON.parse(body);
      const answer = (result: unknown) =>
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ jsonrpc: "2.0", id, result }));
      if (id === undefined) return response.writeHead(202).end();
      if (method === "initialize")
        return answer({
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: "tiny", version: "1" },
        });
      if (method === "tools/list") return answer({ tools: [{ name: "speak", inputSchema: { type: "object" } }] });
      if (method === "tools/call") return respond(response, id);
      return response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no such method" } }));
    });
  });
  server.listen(0, host);
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://${host}:${(server.address() as AddressInfo).port}/mcp`, seen };
}

/** Answers a call of it with one text. */
export const says =
  (words: string): Parameters<typeof tinyToolServer>[1] =>
  (response, id) => {
    const result = { content: [{ type: "text", text: words }] };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  };
