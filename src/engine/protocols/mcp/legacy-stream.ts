import type { JSONRPCMessage, JSONRPCRequest } from "@modelcontextprotocol/server";
import type { ProtocolCall } from "../protocol.ts";
import { SseWriter } from "../sse-writer.ts";
import { type StreamPosition, writeEventId } from "./event-id.ts";
import type { Exchange } from "./exchange.ts";
import { cancels, leaves, requestKey } from "./in-flight.ts";
import { createServer } from "./mcp-server.ts";
import { handMessage } from "./message-transport.ts";
import { questionForm } from "./question-form.ts";
import type { Session } from "./session-id.ts";

/** The first revision whose clients take a frame without data. */
const PRIMED = "2025-11-25";
const RETRY_MS = 1000;

export interface LegacyRequest {
  readonly message: JSONRPCRequest;
  readonly session: Session | null;
  readonly version: string;
  readonly resumed: StreamPosition | null;
}

/**
 * Answers a request of the revisions until 2025-11-25 in a stream. The id of each frame says where the stream stands, so
 * that a client continues it by `GET` with `Last-Event-ID` after a lost connection, a restart or a crash of the engine.
 */
export async function streamAnswer(
  { response, calls }: ProtocolCall,
  { message, session, version, resumed }: LegacyRequest,
): Promise<void> {
  const stream = SseWriter.open(response, calls.limits);
  const answered = Promise.withResolvers<void>();
  const cancelled = new AbortController();
  const left = Promise.withResolvers<void>();
  const forget: (() => void)[] = [];
  if (session !== null) forget.push(cancels.add(requestKey(session.id, message.id), () => cancelled.abort()));
  let position: StreamPosition | null = null;
  const write = (sent: JSONRPCMessage) =>
    stream.write(`${idLine(position)}event: message\ndata: ${JSON.stringify(sent)}\n\n`);
  const progress = message.params?._meta?.progressToken;
  const exchange: Exchange = {
    resumed,
    cancelled: cancelled.signal,
    async reached(reached) {
      const isFirst = position === null;
      position = { request: message.id, ...(progress !== undefined && { progress }), ...reached };
      if (isFirst && version >= PRIMED) await stream.write(`${idLine(position)}retry: ${RETRY_MS}\ndata:\n\n`);
    },
    ask: session?.elicits
      ? async (question) => {
          const { request_id: id } = question;
          forget.push(leaves.add(requestKey(session.id, id), left.resolve));
          await write({ jsonrpc: "2.0", id, method: "elicitation/create", params: { ...questionForm(question) } });
        }
      : null,
    left: left.promise,
  };
  const server = createServer({ calls, exchangeOf: () => exchange, requiresInput: () => false });
  const gone = () => answered.resolve();
  calls.gone.addEventListener("abort", gone);
  if (calls.gone.aborted) gone();
  try {
    await handMessage(server, message, async (sent) => {
      await write(sent);
      if (!("method" in sent)) answered.resolve();
    });
    await answered.promise;
  } finally {
    calls.gone.removeEventListener("abort", gone);
    for (const one of forget) one();
    stream.end();
    await server.close();
  }
}

const idLine = (position: StreamPosition | null): string =>
  position === null ? "" : `id: ${writeEventId(position)}\n`;
