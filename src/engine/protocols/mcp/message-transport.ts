import type { JSONRPCMessage, McpServer, Transport } from "@modelcontextprotocol/server";

/** Hands one message to a server, and what the server says about it to `deliver`. */
export async function handMessage(
  server: McpServer,
  message: JSONRPCMessage,
  deliver: (message: JSONRPCMessage) => Promise<void>,
): Promise<void> {
  const transport: Transport = {
    async start() {},
    async close() {},
    send: deliver,
  };
  await server.connect(transport);
  transport.onmessage?.(message);
}
