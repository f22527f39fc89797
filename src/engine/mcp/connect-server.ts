import {
  Client,
  ProtocolError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { VERSION } from "../../shared/version.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import type { CallResult, ConnectParams, McpServerConnection, ElicitationResult, ListedTool } from "./connection.ts";
import type { HttpServerConfig } from "./server-config.ts";
import { StdioTransport, withLastWords } from "./stdio-transport.ts";
import { NotificationFilter } from "./notification-filter.ts";

/** Whoever loads this bundle compares it with its own: an upgrade may have put another one in its place. */
export { VERSION } from "../../shared/version.ts";

const LIST_MS = 30_000;
/** A local server that has not answered a question of the newest protocol in this part of its time speaks an older one. */
const PROBE_SHARE = 1 / 6;
const CHECK_MS = 10_000;
const GOODBYE_MS = 1000;
const LIST_CHANGES_WITHIN_MS = 100;
/** Calls have their deadline from who makes them: here none, as far as timers reach. */
const NO_TIMEOUT_MS = 2_000_000_000;
/** What the schemas of a server say of its output is its own affair: to compile them would run what it wrote. */
const UNCHECKED = { getValidator: () => (input: unknown) => ({ valid: true, data: input, errorMessage: undefined }) };

type Era = "auto" | "legacy";

/** Connects once; tries the older forms of the protocol where the newer ones are not understood. */
export async function connectServer(order: ConnectParams): Promise<McpServerConnection> {
  const { server } = order;
  if (server.transport === "stdio") {
    try {
      return await connect(order, { transport: new StdioTransport(server, order), era: "auto" });
    } catch (error) {
      // Some old servers exit at a question they do not know.
      if (order.signal.aborted || !(error instanceof ConnectFailed && error.exited)) throw error;
      return connect(order, { transport: new StdioTransport(server, order), era: "legacy" });
    }
  }
  if (server.transport === "sse") return connect(order, { transport: sse(server, order), era: "legacy" });
  try {
    return await connect(order, { transport: streamable(server, order), era: "auto" });
  } catch (error) {
    if (order.signal.aborted || !(error instanceof ConnectFailed && error.refused)) throw error;
    order.log.note(`no streamable HTTP (${error.message}), trying the older HTTP with SSE`);
    return connect(order, { transport: sse(server, order), era: "legacy" }).catch(() => {
      throw error;
    });
  }
}

const streamable = ({ url, headers }: HttpServerConfig, order: ConnectParams): Transport =>
  new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, fetch: fetchFor(order) });

const sse = ({ url, headers }: HttpServerConfig, order: ConnectParams): Transport =>
  new SSEClientTransport(new URL(url), { requestInit: { headers }, fetch: fetchFor(order) });

function fetchFor({ onToolsChanged }: ConnectParams) {
  const unasked = new NotificationFilter();
  return boundedFetch((method) => unasked.hears(method, onToolsChanged));
}

/** Why, in words; `refused` as a server of the older HTTP transport refuses a POST to its address. */
class ConnectFailed extends Error {
  readonly exited: boolean;
  readonly refused: boolean;

  constructor(message: string, { exited, cause }: { readonly exited: boolean; readonly cause: unknown }) {
    super(message, { cause });
    this.exited = exited;
    this.refused = isRefusal(cause);
  }
}

const isRefusal = (error: unknown): boolean => {
  const status = error instanceof Error && "status" in error ? Number(error.status) : 0;
  return status === 400 || status === 404 || status === 405 || status === 406;
};

async function connect(
  order: ConnectParams,
  { transport, era }: { readonly transport: Transport; readonly era: Era },
): Promise<McpServerConnection> {
  const { server, log, signal } = order;
  const ended = Promise.withResolvers<string>();
  const fate = () => (transport instanceof StdioTransport ? transport.fate : null);
  // The SDK's own form: there are no listeners to be added.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  transport.onclose = () => ended.resolve(fate() ?? "the connection was closed");
  const client = clientOf(order, era);
  const check = livenessCheck(client, server.transport !== "stdio", (why) => ended.resolve(why));
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  client.onerror = (error) => {
    log.note(words(error));
    check();
  };
  const timeout = server.startTimeoutMs;
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
  try {
    await within(client.connect(transport, { timeout, signal: deadline }), deadline);
  } catch (error) {
    const late = deadline.aborted && !signal.aborted;
    const exited = fate() !== null;
    const silent = withLastWords(`it did not answer within ${timeout / 1000} s`, log);
    const why = fate() ?? (late ? silent : log.hide(words(error)));
    await transport.close().catch((fault: unknown) => log.note(words(fault)));
    throw new ConnectFailed(why, { exited, cause: error });
  }
  return {
    protocolVersion: client.getNegotiatedProtocolVersion() ?? "",
    ended: ended.promise,
    listTools: () => listTools(client, fate),
    call: (tool, input, options) => callTool(client, { tool, input, options, onFault: check, fate }),
    async close() {
      if (transport instanceof StreamableHTTPClientTransport) await goodbye(transport, log);
      await client.close();
      ended.resolve("it was closed");
    },
  };
}

function clientOf({ server, onToolsChanged, onElicitation }: ConnectParams, era: Era): Client {
  const client = new Client(
    { name: "orchd", version: VERSION },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: era, probe: { timeoutMs: server.startTimeoutMs * PROBE_SHARE } },
      jsonSchemaValidator: UNCHECKED as never,
      listChanged: { tools: { autoRefresh: false, debounceMs: LIST_CHANGES_WITHIN_MS, onChanged: onToolsChanged } },
    },
  );
  client.setRequestHandler("elicitation/create", async ({ params }): Promise<ElicitationResult> => {
    if (!("requestedSchema" in params)) return { action: "decline" };
    return onElicitation({ message: params.message, schema: params.requestedSchema });
  });
  return client;
}

/** A remote server that is gone closes nothing: after a fault it is asked for a sign of life, once at a time. */
function livenessCheck(client: Client, remote: boolean, onDead: (why: string) => void): () => void {
  let checking = false;
  return () => {
    if (!remote || checking || client.getNegotiatedProtocolVersion() === undefined) return;
    checking = true;
    const sign =
      client.getProtocolEra() === "modern"
        ? client.discover({ timeout: CHECK_MS })
        : client.ping({ timeout: CHECK_MS });
    sign.then(
      () => (checking = false),
      (error: unknown) => {
        // A refusal is an answer too.
        if (error instanceof ProtocolError) checking = false;
        else onDead(words(error));
      },
    );
  };
}

async function listTools(client: Client, fate: () => string | null): Promise<readonly ListedTool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const options = { timeout: LIST_MS, maxTotalTimeout: LIST_MS, cacheMode: "refresh" } as const;
  const { tools } = await client.listTools(undefined, options).catch((error: unknown) => {
    const deep = error instanceof RangeError ? "its list of tools is nested too deep to be read" : null;
    throw new Error(fate() ?? deep ?? words(error), { cause: error });
  });
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
    options: { signal, onProgress },
    onFault,
    fate,
  }: {
    readonly tool: string;
    readonly input: Readonly<Record<string, unknown>>;
    readonly options: Parameters<McpServerConnection["call"]>[2];
    readonly onFault: () => void;
    readonly fate: () => string | null;
  },
): Promise<CallResult> {
  try {
    const { content, structuredContent, isError } = await client.callTool(
      { name: tool, arguments: { ...input } },
      { signal, onprogress: onProgress, timeout: NO_TIMEOUT_MS },
    );
    return {
      kind: "result",
      content,
      structured: structuredContent,
      isError: isError === true,
    };
  } catch (error) {
    if (!signal.aborted) onFault();
    return { kind: "failed", words: fate() ?? words(error) };
  }
}

/** A server that keeps sessions may forget this one now; one that is away does not hold the end up. */
async function goodbye(transport: StreamableHTTPClientTransport, log: ConnectParams["log"]): Promise<void> {
  const deadline = AbortSignal.timeout(GOODBYE_MS);
  await within(transport.terminateSession(), deadline).catch((error: unknown) => log.note(words(error)));
}

function within<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const over = Promise.withResolvers<never>();
  const giveUp = () => over.reject(signal.reason);
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted) giveUp();
  return Promise.race([work, over.promise]).finally(() => signal.removeEventListener("abort", giveUp));
}

/** What failed and what that came from: `fetch failed` alone tells nobody anything. */
function words(error: unknown): string {
  const said: string[] = [];
  for (let at: unknown = error; at !== undefined && at !== null && said.length < 5; at = causeOf(at)) {
    const { message, code } = at as { readonly message?: unknown; readonly code?: unknown };
    const told = typeof message === "string" && message !== "" ? message : String(code ?? at);
    if (!said.some((before) => before.includes(told))) said.push(told);
  }
  return said.join(": ").slice(0, 500);
}

/** Some faults of the SDK have theirs among their details. */
function causeOf(error: unknown): unknown {
  const { cause, data, errors } = error as {
    readonly cause?: unknown;
    readonly data?: { readonly cause?: unknown };
    readonly errors?: readonly unknown[];
  };
  return cause ?? data?.cause ?? errors?.[0];
}
