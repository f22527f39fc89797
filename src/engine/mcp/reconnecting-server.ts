import PQueue from "p-queue";
import { inBackground } from "../../shared/background.ts";
import { Deadline } from "../../shared/deadline.ts";
import { delay, whenAborted } from "../../shared/clock.ts";
import type { SerialLanes } from "../../shared/serial-lanes.ts";
import { type ToolContext, ToolFailed } from "../tools/tool.ts";
import type { Connect, ConnectParams, ListedTool, McpServerConnection, ServerLog } from "./connection.ts";
import { Elicitations } from "./elicitations.ts";
import { keepResultFiles } from "./keep-result-files.ts";
import { resultForModel, textOf } from "./result-text.ts";
import type { ServerConfig } from "./server-config.ts";

/**
 * `idle` until it is started; `connecting` until the first attempt has ended; `ready` while connected; `restarting` after a connection was lost,
 * `failed` after an attempt failed; `needs_login` until the user has signed in. From `restarting` and `failed` it retries after 1 s, doubling up to 60 s, or at once on `retryNow`.
 */
export type ConnectionState =
  | { readonly kind: "idle" | "connecting" | "needs_login" }
  | { readonly kind: "ready"; readonly connection: McpServerConnection }
  | { readonly kind: "restarting" | "failed"; readonly error: string; readonly retry: Deadline };

interface ReconnectingServerParts extends Pick<
  ConnectParams,
  "workspaceDir" | "environment" | "launcher" | "secrets" | "proxyPort" | "outside" | "broker" | "identity"
> {
  readonly log: ServerLog;
  readonly loadConnect: () => Promise<Connect>;
  readonly onListed: (tools: readonly ListedTool[]) => void;
  /** One lane for each turn: a person answers one elicitation at a time, whichever server sent it. */
  readonly elicitationLanes: SerialLanes;
  readonly onStateChange: (state: ConnectionState) => void;
}

const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 60_000;
/** A connection that lasted this long resets the backoff. */
const STABLE_MS = 60_000;
/** Minimum interval between listings after `notifications/tools/list_changed`. */
const LIST_INTERVAL_MS = 1000;
const MAX_ERROR_CHARACTERS = 10_000;
/** How often a call that waits for the connection reports progress: a start may take longer than a call. */
const PROGRESS_MS = 10_000;

/** Keeps one configured server connected: connects, lists its tools, reconnects after a loss. */
export class ReconnectingServer {
  readonly server: ServerConfig;
  readonly #parts: ReconnectingServerParts;
  readonly #closing = new AbortController();
  readonly #elicitations: Elicitations;
  readonly #listings = new PQueue({ concurrency: 1, interval: LIST_INTERVAL_MS, intervalCap: 1, strict: true });
  readonly #attempted = Promise.withResolvers<void>();
  #state: ConnectionState = { kind: "idle" };
  #running: Promise<void> = Promise.resolve();
  #backoff = new AbortController();
  #changed = Promise.withResolvers<void>();

  constructor(server: ServerConfig, parts: ReconnectingServerParts) {
    this.server = server;
    this.#parts = parts;
    this.#elicitations = new Elicitations(server.name, { log: parts.log, lanes: parts.elicitationLanes });
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Connects, unless it was started or closed before. */
  start(): void {
    if (this.#state.kind !== "idle" || this.#closing.signal.aborted) return;
    this.#state = { kind: "connecting" };
    this.#running = this.#run().finally(() => this.#attempted.resolve());
  }

  /** Resolves when the first attempt has ended, or the server was closed. */
  get attempted(): Promise<void> {
    return this.#attempted.promise;
  }

  /** The last lines of its standard error. */
  get stderrTail(): readonly string[] {
    return this.#parts.log.stderrTail();
  }

  /** Skips the rest of the backoff. */
  retryNow(): void {
    if ("retry" in this.#state) this.#state = { ...this.#state, retry: new Deadline(0) };
    this.#backoff.abort();
  }

  get needsLogin(): boolean {
    return this.#state.kind === "needs_login";
  }

  /** Connects anew, after the user may have signed in. Resolves at the end of the attempt. */
  async retry(signal: AbortSignal): Promise<void> {
    const { promise } = this.#changed;
    this.retryNow();
    await Promise.race([promise, whenAborted(signal), whenAborted(this.#closing.signal)]);
    signal.throwIfAborted();
  }

  /** Closes the connection and ends every process of the server. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("the tool server is no longer configured"));
    this.#attempted.resolve();
    await this.#running;
  }

  /** Waits for the first attempt to connect. */
  async untilAttempted({ signal, progress }: Pick<ToolContext, "signal" | "progress">): Promise<void> {
    if (this.#state.kind !== "connecting") return;
    const reporting = setInterval(progress, PROGRESS_MS);
    try {
      await Promise.race([this.attempted, whenAborted(signal)]);
    } finally {
      clearInterval(reporting);
    }
    signal.throwIfAborted();
    progress();
  }

  /** Throws `ToolFailed` at once if the server is not connected. */
  async call(tool: string, input: Readonly<Record<string, unknown>>, context: ToolContext): Promise<unknown> {
    const state = this.#state;
    const name = `the tool server ${this.server.name}`;
    if ("error" in state) throw new ToolFailed(`${name} is not connected (${state.error}); it reconnects by itself`);
    if (state.kind === "needs_login") throw new ToolFailed(`${name} needs a login of the user`);
    if (state.kind !== "ready") throw new ToolFailed(`${name} is no longer configured`);
    const endCall = this.#elicitations.open(context);
    try {
      const { span } = context.scope;
      span.set({
        "mcp.method.name": "tools/call",
        "mcp.protocol.version": state.connection.protocolVersion,
        "network.transport": this.server.transport === "stdio" ? "pipe" : "tcp",
      });
      const result = await state.connection.call(tool, input, {
        signal: context.signal,
        facts: { taskId: context.taskId, turnId: context.turnId, agent: context.agent },
        onProgress: () => context.progress(),
        traceparent: span.traceparent,
        tracestate: span.tracestate,
      });
      if (result.kind === "failed")
        throw new ToolFailed(`${name} failed: ${truncate(this.#parts.log.redact(result.message))}`);
      if (result.isError) throw new ToolFailed(truncate(textOf(result.content)) || "the tool failed without a message");
      const { files } = context;
      return resultForModel(result, files && (await keepResultFiles(result.content, files)));
    } finally {
      endCall();
    }
  }

  async #run(): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const { connectedMs, error, needsLogin } = await this.#connectOnce();
      if (signal.aborted) return;
      if (needsLogin) {
        this.#backoff = new AbortController();
        this.#setState({ kind: "needs_login" });
        await whenAborted(AbortSignal.any([signal, this.#backoff.signal]));
        retryMs = FIRST_RETRY_MS;
        continue;
      }
      if (connectedMs !== null && connectedMs >= STABLE_MS) retryMs = FIRST_RETRY_MS;
      this.#backoff = new AbortController();
      const kind = connectedMs === null ? "failed" : "restarting";
      this.#setState({ kind, error, retry: new Deadline(retryMs) });
      const elapsed = await delay(retryMs, AbortSignal.any([signal, this.#backoff.signal]));
      retryMs = elapsed ? Math.min(retryMs * 2, MAX_RETRY_MS) : FIRST_RETRY_MS;
    }
  }

  /** One attempt and the connection it opens; `connectedMs` is null if the server never became ready. */
  async #connectOnce(): Promise<{
    readonly connectedMs: number | null;
    readonly error: string;
    readonly needsLogin: boolean;
  }> {
    const { log, loadConnect, onListed } = this.#parts;
    const { signal } = this.#closing;
    let connection: McpServerConnection | undefined;
    let readyAt: number | null = null;
    const connectedMs = () => (readyAt === null ? null : performance.now() - readyAt);
    const login = Promise.withResolvers<string>();
    let needsLogin = false;
    const onLoginNeeded = () => {
      needsLogin = true;
      login.resolve("the user has to sign in");
    };
    try {
      const connect = await loadConnect();
      connection = await connect({ ...this.#connectParams(), onLoginNeeded });
      onListed(await connection.listTools());
      signal.throwIfAborted();
      readyAt = performance.now();
      this.#setState({ kind: "ready", connection });
      const error = await Promise.race([connection.closed, login.promise, whenAborted(signal).then(() => "closed")]);
      return { connectedMs: connectedMs(), error, needsLogin };
    } catch (error) {
      const message = log.redact(error instanceof Error ? error.message : String(error));
      return { connectedMs: connectedMs(), error: message, needsLogin };
    } finally {
      await connection?.close().catch((error: unknown) => log.debug(String(error)));
    }
  }

  #connectParams(): Omit<ConnectParams, "onLoginNeeded"> {
    const { workspaceDir, environment, launcher, secrets, proxyPort, outside, broker, identity, log } = this.#parts;
    return {
      broker,
      server: this.server,
      workspaceDir,
      environment,
      launcher,
      secrets,
      proxyPort,
      outside,
      identity,
      log,
      onToolsChanged: () => this.#scheduleListing(),
      onElicitation: (form) => this.#elicitations.elicit(form),
      signal: this.#closing.signal,
    };
  }

  /** At most one listing waits behind the one that runs, which may have missed the change. */
  #scheduleListing(): void {
    if (this.#listings.size > 0 || this.#closing.signal.aborted) return;
    inBackground(
      "listing of a server's tools",
      this.#listings.add(() => this.#listAgain()),
    );
  }

  /** Keeps the current list if the listing fails. */
  async #listAgain(): Promise<void> {
    const state = this.#state;
    if (state.kind !== "ready") return;
    try {
      const tools = await state.connection.listTools();
      if (this.#state === state) this.#parts.onListed(tools);
    } catch (error) {
      this.#parts.log.debug(`failed to list the tools again: ${String(error)}`);
    }
  }

  #setState(state: ConnectionState): void {
    this.#state = state;
    this.#parts.onStateChange(state);
    this.#attempted.resolve();
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

const truncate = (text: string): string =>
  text.length > MAX_ERROR_CHARACTERS ? `${text.slice(0, MAX_ERROR_CHARACTERS).toWellFormed()}…` : text;
