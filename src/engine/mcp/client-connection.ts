import { Client, ProtocolError, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { VERSION } from "../../shared/version.ts";
import type { CallResult, ConnectParams, ElicitationResult, ListedTool, McpServerConnection } from "./connection.ts";
import { headersOfCall } from "./call-headers.ts";
import { callAs } from "./identified-fetch.ts";
import { limitMessages } from "./message-limiter.ts";
import { StdioTransport, withStderr } from "./stdio-transport.ts";

const LIST_TIMEOUT_MS = 30_000;
/** Share of the start timeout after which a local server that has not answered the newest protocol gets an older one. */
const PROBE_SHARE = 1 / 6;
const PING_TIMEOUT_MS = 10_000;
const TERMINATE_SESSION_TIMEOUT_MS = 1000;
/** The caller sets the deadline of a call; this is the longest timer Node.js takes, rounded down. */
const NO_TIMEOUT_MS = 2_000_000_000;
/** Compiling a server's output schemas would run code derived from untrusted input. */
const NO_VALIDATION = {
  getValidator: () => (input: unknown) => ({ valid: true, data: input, errorMessage: undefined }),
};

/** `refused`: the status with which a server of the older HTTP transport answers a POST. */
export class ConnectFailed extends Error {
  readonly exited: boolean;
  readonly refused: boolean;

  constructor(message: string, { exited, cause }: { readonly exited: boolean; readonly cause: unknown }) {
    super(message, { cause });
    this.exited = exited;
    const status = cause instanceof Error && "status" in cause ? Number(cause.status) : 0;
    this.refused = [400, 404, 405, 406].includes(status);
  }
}

/** Opens an SDK client over a transport. `auto` negotiates the newest protocol version, `legacy` starts with `initialize`. */
export async function openConnection(
  params: ConnectParams,
  transport: Transport,
  negotiation: "auto" | "legacy",
): Promise<McpServerConnection> {
  const { server, log, signal } = params;
  const closed = Promise.withResolvers<string>();
  const exitReason = () => (transport instanceof StdioTransport ? transport.exitReason : null);
  // The SDK has no event listeners.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  transport.onclose = () => closed.resolve(exitReason() ?? "the connection was closed");
  const client = createClient(params, negotiation);
  const check = server.transport === "stdio" ? () => undefined : livenessCheck(client, closed.resolve);
  const onError = (error: Error) => {
    log.debug(formatError(error));
    check();
  };
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  client.onerror = onError;
  const timeout = server.startTimeoutMs;
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
  try {
    await untilAborted(client.connect(transport, { timeout, signal: deadline }), deadline);
  } catch (error) {
    const timedOut = deadline.aborted && !signal.aborted;
    const exit = exitReason();
    const message = timedOut
      ? withStderr(`it did not answer within ${timeout / 1000} s`, log)
      : log.redact(formatError(error));
    await transport.close().catch((closeError: unknown) => log.debug(formatError(closeError)));
    throw new ConnectFailed(exit ?? message, { exited: exit !== null, cause: error });
  }
  limitMessages(transport, onError);
  return {
    protocolVersion: client.getNegotiatedProtocolVersion() ?? "",
    closed: closed.promise,
    listTools: () =>
      listTools(client).catch((error: unknown) => {
        const tooDeep = error instanceof RangeError ? "its list of tools is nested too deep" : null;
        throw new Error(exitReason() ?? tooDeep ?? formatError(error), { cause: error });
      }),
    call(tool, input, options) {
      const { headers, problem } = headersOfCall(server.transport === "stdio" ? {} : server.callHeaders, options.facts);
      if (problem !== null) return Promise.resolve({ kind: "failed", message: problem });
      return callAs({ agent: options.facts.agent, headers }, () =>
        callTool(client, { tool, input, options }).catch((error: unknown): CallResult => {
          if (!options.signal.aborted) check();
          return { kind: "failed", message: exitReason() ?? formatError(error) };
        }),
      );
    },
    async close() {
      if (transport instanceof StreamableHTTPClientTransport) await terminateSession(transport, log);
      await client.close();
      closed.resolve("it was closed");
    },
  };
}

function createClient(
  { server, onToolsChanged, onElicitation }: ConnectParams,
  negotiation: "auto" | "legacy",
): Client {
  const client = new Client(
    { name: "orchd", version: VERSION },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: negotiation, probe: { timeoutMs: server.startTimeoutMs * PROBE_SHARE } },
      jsonSchemaValidator: NO_VALIDATION as never,
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } },
    },
  );
  // Some servers send it without declaring the capability, on which the SDK registers its own handler.
  client.setNotificationHandler("notifications/tools/list_changed", onToolsChanged);
  client.setRequestHandler("elicitation/create", async ({ params }): Promise<ElicitationResult> => {
    if (!("requestedSchema" in params)) return { action: "decline" };
    return onElicitation({ message: params.message, schema: params.requestedSchema });
  });
  return client;
}

/** A lost remote server closes nothing: after an error it is pinged, one ping at a time. */
function livenessCheck(client: Client, onDead: (reason: string) => void): () => void {
  let checking = false;
  return () => {
    if (checking || client.getNegotiatedProtocolVersion() === undefined) return;
    checking = true;
    const timeout = PING_TIMEOUT_MS;
    const ping = client.getProtocolEra() === "modern" ? client.discover({ timeout }) : client.ping({ timeout });
    ping.then(
      () => (checking = false),
      (error: unknown) => {
        // An error response proves that the server lives.
        if (error instanceof ProtocolError) checking = false;
        else onDead(formatError(error));
      },
    );
  };
}

async function listTools(client: Client): Promise<readonly ListedTool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const options = { timeout: LIST_TIMEOUT_MS, maxTotalTimeout: LIST_TIMEOUT_MS, cacheMode: "refresh" } as const;
  const { tools } = await client.listTools(undefined, options);
  return tools.map(({ name, description = "", inputSchema, annotations, execution }) => ({
    name,
    description,
    inputSchema,
    readOnly: annotations?.readOnlyHint === true,
    needsTask: execution?.taskSupport === "required",
  }));
}

async function callTool(
  client: Client,
  {
    tool,
    input,
    options: { signal, onProgress, traceparent, tracestate },
  }: {
    readonly tool: string;
    readonly input: Readonly<Record<string, unknown>>;
    readonly options: Parameters<McpServerConnection["call"]>[2];
  },
): Promise<CallResult> {
  const { content, structuredContent, isError } = await client.callTool(
    { name: tool, arguments: { ...input }, ...(traceparent !== undefined && { _meta: { traceparent, tracestate } }) },
    { signal, onprogress: onProgress, timeout: NO_TIMEOUT_MS },
  );
  return { kind: "result", content, structured: structuredContent, isError: isError === true };
}

/** Best effort: an unreachable server must not delay the close. */
async function terminateSession(transport: StreamableHTTPClientTransport, log: ConnectParams["log"]): Promise<void> {
  const deadline = AbortSignal.timeout(TERMINATE_SESSION_TIMEOUT_MS);
  await untilAborted(transport.terminateSession(), deadline).catch((error: unknown) => log.debug(formatError(error)));
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const reject = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", reject, { once: true });
  if (signal.aborted) reject();
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener("abort", reject));
}

const MAX_CAUSES = 5;
const MAX_ERROR_CHARACTERS = 500;

/** The messages of an error and its causes: `fetch failed` alone does not name the reason. */
function formatError(error: unknown): string {
  const messages: string[] = [];
  for (let at: unknown = error; at !== undefined && at !== null && messages.length < MAX_CAUSES; at = causeOf(at)) {
    const { message, code } = at as { readonly message?: unknown; readonly code?: unknown };
    const text = typeof message === "string" && message !== "" ? message : String(code ?? at);
    if (!messages.some((before) => before.includes(text))) messages.push(text);
  }
  return messages.join(": ").slice(0, MAX_ERROR_CHARACTERS);
}

/** Some SDK errors have their cause in `data`. */
function causeOf(error: unknown): unknown {
  const { cause, data, errors } = error as {
    readonly cause?: unknown;
    readonly data?: { readonly cause?: unknown };
    readonly errors?: readonly unknown[];
  };
  return cause ?? data?.cause ?? errors?.[0];
}
