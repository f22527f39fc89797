import { Agent, type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { hasCode } from "../../shared/error-code.ts";

const MAX_BODY_BYTES = 65_536;

type EngineAnswer =
  | { readonly kind: "answered"; readonly status: number; readonly body: unknown }
  | { readonly kind: "failed"; readonly reason: string };

interface EngineQuestion {
  readonly url: string;
  readonly method?: "GET" | "POST" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly timeoutMs: number;
  readonly maxAnswerBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

const connections = new Agent({ keepAlive: true, maxFreeSockets: 1 });

/** One small JSON call to an engine. One deadline covers connecting, sending and reading. Never rejects. */
export async function askEngine(question: EngineQuestion): Promise<EngineAnswer> {
  const deadline = AbortSignal.timeout(question.timeoutMs);
  const signal = question.signal ? AbortSignal.any([deadline, question.signal]) : deadline;
  try {
    const response = await send(question, signal);
    return {
      kind: "answered",
      status: response.statusCode ?? 0,
      body: await readBody(response, question.maxAnswerBytes),
    };
  } catch (error) {
    if (deadline.aborted) return { kind: "failed", reason: `no answer within ${question.timeoutMs} ms` };
    return { kind: "failed", reason: describe(error) };
  }
}

function send(question: EngineQuestion, signal: AbortSignal): Promise<IncomingMessage> {
  const { url, method = "GET", headers = {} } = question;
  const body = question.body === undefined ? undefined : JSON.stringify(question.body);
  const ready = body === undefined ? headers : { ...headers, "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const call = request(url, { method, headers: ready, agent: connections, signal });
    call.once("socket", refuseSelfConnect);
    let isSettled = false;
    call.once("response", (response) => {
      isSettled = true;
      resolve(response);
    });
    // Errors may follow the response or another error. Without a listener they would crash the daemon.
    call.on("error", (error) => {
      if (isSettled) return;
      isSettled = true;
      // The engine closed an idle keep-alive connection while it was being reused. Retry on a new one.
      if (call.reusedSocket && !signal.aborted && hasCode(error, "ECONNRESET")) resolve(send(question, signal));
      else reject(error);
    });
    call.end(body);
  });
}

/**
 * A TCP connection to an ephemeral port without a listener can connect to itself. It would echo the request and occupy
 * the engine's port.
 */
function refuseSelfConnect(socket: Socket): void {
  if (!socket.connecting) return;
  socket.once("connect", () => {
    if (socket.localPort === socket.remotePort && socket.localAddress === socket.remoteAddress) {
      socket.destroy(new Error("connected to itself: nothing listens on the port"));
    }
  });
}

/** JSON, or the text when it is not JSON. */
async function readBody(response: IncomingMessage, maxBytes = MAX_BODY_BYTES): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`the response is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString("utf8");
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (hasCode(error, "ECONNREFUSED")) return "nothing listens on the port";
  return error.message || error.name;
}
