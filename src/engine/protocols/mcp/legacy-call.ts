import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  isJsonContentType,
} from "@modelcontextprotocol/server";
import { type ProtocolCall, sendJson } from "../protocol.ts";
import { findRequest, isOver, takeForm } from "./answer-question.ts";
import { readEventId } from "./event-id.ts";
import { cancels, leaves, requestKey } from "./in-flight.ts";
import { streamAnswer } from "./legacy-stream.ts";
import { createServer } from "./mcp-server.ts";
import { handMessage } from "./message-transport.ts";
import { type Session, elicitsForms, newSession, readSession } from "./session-id.ts";

/** Revisions with `initialize` that are spoken. Batches of the first one are refused, as the later ones have none. */
const LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26"];
/** Of a call that names none. */
const UNNAMED = "2025-03-26";
/** Of the tools, those whose results take time. */
const STREAMS = "tools/call";

/** Serves a call of the revisions until 2025-11-25. */
export async function serveLegacy(call: ProtocolCall): Promise<void> {
  const { request, response } = call;
  const accept = request.headers.accept ?? "";
  const types = request.method === "GET" ? ["text/event-stream"] : ["application/json", "text/event-stream"];
  if (!types.every((type) => accept.includes(type) || accept.includes("*/*")))
    return refuse(response, 406, -32_000, `Accept: expected ${types.join(" and ")}`);
  const version = request.headers["mcp-protocol-version"] ?? UNNAMED;
  if (typeof version !== "string" || !LEGACY_VERSIONS.includes(version))
    return refuse(response, 400, -32_000, `MCP-Protocol-Version: expected one of ${LEGACY_VERSIONS.join(", ")}`);
  const id = request.headers["mcp-session-id"];
  const session = typeof id === "string" ? readSession(id) : null;
  if (id !== undefined && session === null) return refuse(response, 404, -32_001, "Mcp-Session-Id: no such session");
  if (request.method === "GET") return continueStream(call, session, version);
  if (!isJsonContentType(request.headers["content-type"] ?? null))
    return refuse(response, 415, -32_000, "Content-Type: expected application/json");
  const message = request.body as JSONRPCMessage;
  if (isInitializeRequest(message)) return initialize(call, message as JSONRPCRequest);
  if (isJSONRPCRequest(message))
    return message.method === STREAMS
      ? streamAnswer(call, { message, session, version, resumed: null })
      : answerAtOnce(call, message);
  if (isJSONRPCNotification(message) || isJSONRPCResponse(message)) {
    await take(call, message, session);
    response.writeHead(202).end();
    return;
  }
  return refuse(response, 400, -32_600, "body: expected one message of JSON-RPC 2.0");
}

/** The session's id says what is known of the client. */
async function initialize(call: ProtocolCall, message: JSONRPCRequest): Promise<void> {
  const { capabilities } = Object(message.params) as { readonly capabilities?: unknown };
  const session = newSession({ elicits: elicitsForms(capabilities) });
  await answerAtOnce(call, message, { "Mcp-Session-Id": session.id });
}

async function answerAtOnce(
  { response, calls }: ProtocolCall,
  message: JSONRPCRequest,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const answered = Promise.withResolvers<JSONRPCMessage>();
  const server = createServer({
    calls,
    exchangeOf: () => {
      throw new Error("no tool runs without a stream");
    },
    requiresInput: () => false,
    supportedProtocolVersions: LEGACY_VERSIONS,
  });
  await handMessage(server, message, async (sent) => {
    if (!("method" in sent)) answered.resolve(sent);
  });
  const answer = await answered.promise;
  await server.close();
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  sendJson(response, answer);
}

async function continueStream(call: ProtocolCall, session: Session | null, version: string): Promise<void> {
  const { request, response } = call;
  const id = request.headers["last-event-id"];
  if (id === undefined) {
    response.setHeader("Allow", "POST");
    return refuse(response, 405, -32_000, "the server sends nothing outside the streams of requests");
  }
  const resumed = typeof id === "string" ? readEventId(id) : null;
  if (resumed === null) return refuse(response, 400, -32_000, "Last-Event-ID: expected the id of a frame");
  const { request: requestId, progress } = resumed;
  const meta = progress === undefined ? {} : { _meta: { progressToken: progress } };
  const params = { name: "ask", arguments: {}, ...meta };
  const message: JSONRPCRequest = { jsonrpc: "2.0", id: requestId, method: STREAMS, params };
  return streamAnswer(call, { message, session, version, resumed });
}

/** Takes a notification, or what the client's user has done with a form. */
async function take({ calls }: ProtocolCall, message: JSONRPCMessage, session: Session | null): Promise<void> {
  if ("method" in message) {
    const { requestId } = Object(message.params) as { readonly requestId?: unknown };
    const isId = typeof requestId === "string" || typeof requestId === "number";
    if (message.method === "notifications/cancelled" && isId && session !== null)
      cancels.act(requestKey(session.id, requestId));
    return;
  }
  if (typeof message.id !== "string" || !message.id.startsWith("hitl-")) return;
  const { id } = message;
  const result = "result" in message ? message.result : null;
  // Of the same session: another client's wait goes on.
  const leave = () => session !== null && leaves.act(requestKey(session.id, id));
  try {
    const { options } = await findRequest(calls, id);
    if (!(await takeForm(calls, { id, options, result }))) leave();
  } catch (error) {
    // 404 would tell the client that its session has ended.
    if (isOver(calls, error)) return;
    leave();
    throw error;
  }
}

const refuse = (response: ProtocolCall["response"], status: number, code: number, message: string): void =>
  sendJson(response, { jsonrpc: "2.0", id: null, error: { code, message } }, { status });
