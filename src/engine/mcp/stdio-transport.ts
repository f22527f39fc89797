import {
  type JSONRPCMessage,
  type Transport,
  deserializeMessage,
  serializeMessage,
} from "@modelcontextprotocol/client";
import type { ConnectParams, ServerLog } from "./connection.ts";
import { throttledRead } from "./throttled-read.ts";
import { classifyLine } from "./classify-line.ts";
import { type Line, LineReader } from "./line-reader.ts";
import type { StdioServerConfig } from "./server-config.ts";
import { ServerProcess } from "./server-process.ts";
import { NotificationFilter } from "./notification-filter.ts";

const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/** How a process ended or failed, with the reason that it gave itself. */
export function withLastWords(how: string, log: ServerLog): string {
  const said = log.stderrText();
  return said === "" ? how : `${how}; it said: ${said}`;
}

/** The protocol over a process's streams. What is no message is noted and skipped; nothing the process sends ends it. */
export class StdioTransport implements Transport {
  readonly #server: StdioServerConfig;
  readonly #order: ConnectParams;
  readonly #log: ServerLog;
  readonly #unasked = new NotificationFilter();
  #process: ServerProcess | undefined;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** How the process ended, once it has. */
  fate: string | null = null;

  constructor(server: StdioServerConfig, order: ConnectParams) {
    this.#server = server;
    this.#order = order;
    this.#log = order.log;
  }

  async start(): Promise<void> {
    this.#log.started();
    const child = new ServerProcess(this.#server, this.#order);
    this.#process = child;
    const lines = new LineReader(MAX_MESSAGE_BYTES);
    throttledRead(child.stdout, (chunk) => {
      for (const line of lines.take(chunk)) this.#take(line);
    });
    throttledRead(child.stderr, (chunk) => this.#log.stderr(chunk.toString("utf8")));
    void child.exited.then((how) => {
      this.fate = withLastWords(how, this.#log);
      this.onclose?.();
    });
  }

  /** By these two the SDK knows a local server, whose silence means an old protocol and no outage. */
  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  get stderr(): null {
    return null;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#process?.stdin;
    if (stdin === undefined || this.fate !== null || stdin.writableEnded) throw new Error("the server is not running");
    if (stdin.writableLength > MAX_UNREAD_BYTES) throw new Error("the server does not read what it is sent");
    const text = serializeMessage(message);
    this.#log.frame("sent", text.trimEnd());
    stdin.write(text);
  }

  async close(): Promise<void> {
    await this.#process?.end();
  }

  #take(line: Line): void {
    if (line.kind === "too_long") {
      this.#log.note(`a message of ${line.bytes} bytes was dropped`);
      this.#answerFor(line);
      return;
    }
    const glance = classifyLine(line.bytes);
    if (glance.kind === "blank") return;
    this.#log.frame("received", line.bytes);
    if (glance.kind === "no_message") return this.#log.note("a line that is no message");
    if (glance.kind === "notification" && !this.#hears(glance.method)) return;
    let message: JSONRPCMessage;
    try {
      const text = line.bytes.toString("utf8");
      // To check a message costs far more than to read it, and some servers tell a lot.
      if (glance.kind === "message" && this.#isDealtWith(JSON.parse(text))) return;
      message = deserializeMessage(text);
    } catch (error) {
      this.#log.note(`no message of the protocol: ${String(error)}`);
      return;
    }
    this.onmessage?.(message);
  }

  #hears(method: string): boolean {
    return this.#unasked.hears(method, this.#order.onToolsChanged);
  }

  #isDealtWith(message: unknown): boolean {
    if (typeof message !== "object" || message === null || !("method" in message)) return false;
    if (!("id" in message)) return !this.#hears(String(message.method));
    if (this.#unasked.hasRoomForRequest()) return false;
    this.#refuse(message.id);
    return true;
  }

  /** The protocol's own answer to one of a flood of requests would cost the most of all. */
  #refuse(id: unknown): void {
    if (typeof id !== "string" && typeof id !== "number") return;
    const error = { code: -32_000, message: "too many requests at once" };
    this.send({ jsonrpc: "2.0", id, error }).catch((fault: unknown) => this.#log.note(String(fault)));
  }

  /** The call that an oversized answer belongs to learns of it, where its id can be seen. */
  #answerFor({ head, tail, bytes }: Extract<Line, { kind: "too_long" }>): void {
    const id =
      /"id":\s*(\d{1,15})\s*\}\s*$/.exec(tail)?.[1] ??
      /^\s*\{(?:"jsonrpc":\s*"2\.0",\s*)?"id":\s*(\d{1,15}),/.exec(head)?.[1];
    if (id === undefined || head.includes('"method"')) return;
    const message = `the answer of ${bytes} bytes is longer than the ${MAX_MESSAGE_BYTES} allowed`;
    this.onmessage?.({ jsonrpc: "2.0", id: Number(id), error: { code: -32_000, message } });
  }
}
