import { ask, type Answer } from "../../../helpers/api.ts";
import type { TestEngine } from "../../../helpers/engine.ts";

export const MODERN_MCP = "2026-07-28";
export const LEGACY_MCP = "2025-11-25";

export interface RawCall {
  readonly path: string;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Said {
  readonly task: string;
  readonly text: string;
  readonly id: string;
  /** Where a client can choose: its leaving ends what it has begun. */
  readonly cancels?: boolean;
}

const user = (content: string) => [{ role: "user", content }];
const ask2025 = ({ task, text, id }: Said) => ({
  name: "ask",
  arguments: { message: text, task_id: task, message_id: id },
});
const MODERN_META = {
  "io.modelcontextprotocol/protocolVersion": MODERN_MCP,
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

const leaving = ({ cancels }: Pick<Said, "cancels">) => (cancels ? { on_disconnect: "cancel" } : {});

/** The call by which a message is sent over each protocol. */
export const RAW_CALLS = {
  "chat completions": ({ task, text }: Said): RawCall => ({
    path: "/v1/chat/completions",
    body: { model: "default", stream: true, messages: user(text), metadata: { task_id: task } },
  }),
  Responses: ({ task, text, cancels = false }: Said): RawCall => ({
    path: "/v1/responses",
    body: { model: "default", stream: true, store: !cancels, conversation: task, input: text },
  }),
  "AI SDK UI": ({ task, text, id, ...more }: Said): RawCall => ({
    path: "/v1/ui/chat",
    body: { id: task, ...leaving(more), messages: [{ id, role: "user", parts: [{ type: "text", text }] }] },
  }),
  "AG-UI": ({ task, text, id, ...more }: Said): RawCall => ({
    path: "/ag-ui",
    body: {
      threadId: task,
      runId: "r1",
      forwardedProps: leaving(more),
      messages: [{ id, role: "user", content: text }],
    },
  }),
  A2A: ({ task, text, id }: Said): RawCall => ({
    path: "/a2a",
    body: {
      jsonrpc: "2.0",
      id: 1,
      method: "SendStreamingMessage",
      params: { message: { messageId: id, contextId: task, role: "ROLE_USER", parts: [{ text }] } },
    },
  }),
  "MCP 2025-11-25": (said: Said): RawCall => ({
    path: "/mcp",
    headers: { "mcp-protocol-version": LEGACY_MCP },
    body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: ask2025(said) },
  }),
  "MCP 2026-07-28": (said: Said): RawCall => ({
    path: "/mcp",
    headers: { "mcp-protocol-version": MODERN_MCP, "mcp-method": "tools/call", "mcp-name": "ask" },
    body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { ...ask2025(said), _meta: MODERN_META } },
  }),
} satisfies Readonly<Record<string, (said: Said) => RawCall>>;
export type RawProtocol = keyof typeof RAW_CALLS;
export const RAW_PROTOCOLS = Object.keys(RAW_CALLS) as readonly RawProtocol[];

/** Sends a call of a protocol with the engine's key, without a client of the protocol. */
export const sendRaw = (
  { url, key }: Pick<TestEngine, "url" | "key">,
  { path, body, headers }: RawCall,
  signal: AbortSignal = AbortSignal.timeout(30_000),
): Promise<Answer> =>
  ask(url, path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, accept: "application/json, text/event-stream", ...headers },
    body,
    signal,
  });
