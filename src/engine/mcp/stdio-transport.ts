import {
  type JSONRPCMessage,
  type Transport,
  deserializeMessage,
  serializeMessage,
} from "@modelcontextprotocol/client";
import { inBackground } from "../../shared/background.ts";
import type { ConnectParams, ServerLog } from "./connection.ts";
import { type Line, LineReader } from "./line-reader.ts";
import type { StdioServerConfig } from "./server-config.ts";
import { ServerProcess } from "./server-process.ts";

const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
const OPENING_BRACE = 0x7b;

/** Appends what the process last wrote to standard error. */
export function withStderr(message: string, log: ServerLog): string {
  const stderr = log.stderrText();
  return stderr === "" ? message : `${message}; standard error: ${stderr}`;
}

/**
 * MCP over the streams of a `ServerProcess`. The SDK's own stdio transport closes the connection at invalid or oversized
 * output and leaves descendant processes running; this one logs and skips, and ends the whole process tree.
 */
export class StdioTransport implements Transport {
  readonly #server: StdioServerConfig;
  readonly #params: ConnectParams;
  readonly #log: ServerLog;
  #starting: Promise<ServerProcess> | undefined;
  #process: ServerProcess | undefined;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Null while the process runs. */
  exitReason: string | null = null;

  constructor(server: StdioServerConfig, params: ConnectParams) {
    this.#server = server;
    this.#params = params;
    this.#log = params.log;
  }

  async start(): Promise<void> {
    this.#log.processStarted();
    this.#starting = ServerProcess.start(this.#server, this.#params);
    const child = await this.#starting;
    this.#process = child;
    const reader = new LineReader(MAX_MESSAGE_BYTES);
    child.stdout.on("data", (chunk: Buffer) => {
      for (const line of reader.take(chunk)) this.#receive(line);
    });
    child.stderr.on("data", (chunk: Buffer) => this.#log.stderr(chunk.toString("utf8")));
    const closed = child.exited.then((reason) => {
      this.exitReason = withStderr(reason, this.#log);
      this.onclose?.();
    });
    inBackground("exit of a tool server", closed);
  }

  /** The SDK recognises a local server by `pid` and `stderr`: its silence means an old protocol version, not an outage. */
  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  get stderr(): null {
    return null;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#process?.stdin;
    if (stdin === undefined || this.exitReason !== null || stdin.writableEnded)
      throw new Error("the server is not running");
    if (stdin.writableLength > MAX_UNREAD_BYTES) throw new Error("the server does not read its standard input");
    const text = serializeMessage(message);
    this.#log.frame("sent", text.trimEnd());
    stdin.write(text);
  }

  async close(): Promise<void> {
    // Also ends a process that is still starting.
    const started = await this.#starting?.catch(() => null);
    await started?.end();
  }

  #receive(line: Line): void {
    if (line.kind === "too_long") {
      this.#log.debug(`dropped a message of ${line.bytes} bytes`);
      this.#failRequest(line);
      return;
    }
    const text = line.bytes;
    if (text.length === 0) return;
    this.#log.frame("received", text);
    // This check costs a tenth of the exception that parsing would throw.
    if (text[0] !== OPENING_BRACE && text.toString("latin1", 0, 100).trimStart()[0] !== "{") return;
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(text.toString("utf8"));
    } catch (error) {
      this.#log.debug(`received an invalid message: ${String(error)}`);
      return;
    }
    this.onmessage?.(message);
  }

  /** Fails the request that an oversized response answers, if its id is found. */
  #failRequest({ head, tail, bytes }: Extract<Line, { kind: "too_long" }>): void {
    const id =
      /"id":\s*(\d{1,15})\s*\}\s*$/.exec(tail)?.[1] ??
      /^\s*\{(?:"jsonrpc":\s*"2\.0",\s*)?"id":\s*(\d{1,15}),/.exec(head)?.[1];
    if (id === undefined || head.includes('"method"')) return;
    const message = `the response of ${bytes} bytes is longer than the limit of ${MAX_MESSAGE_BYTES} bytes`;
    this.onmessage?.({ jsonrpc: "2.0", id: Number(id), error: { code: -32_000, message } });
  }
}
