import { delay } from "../../shared/clock.ts";
import type { SerialLanes } from "../../shared/serial-lanes.ts";
import { type ToolContext, ToolFailed } from "../tools/tool.ts";
import { Coalesced } from "./coalesced.ts";
import type { Connect, ConnectParams, McpServerConnection, ListedTool, ServerLog } from "./connection.ts";
import { resultForModel, textOf } from "./result-text.ts";
import type { ServerConfig } from "./server-config.ts";
import { Elicitations } from "./elicitations.ts";

/**
 * `connecting` until the first try has ended. `ready` while a connection stands. `restarting` after one was lost, until
 * the next try has ended; `failed` after a try that came to nothing. From both it tries again, 1 s later and then twice
 * as long each time, up to a minute; at once when it is told to, as by a reload of the catalog.
 */
export type ConnectionState =
  | { readonly kind: "connecting" }
  | { readonly kind: "ready"; readonly connection: McpServerConnection }
  | { readonly kind: "restarting" | "failed"; readonly error: string; readonly retryAt: number };

export interface ReconnectingServerParts extends Pick<ConnectParams, "workspaceDir" | "environment"> {
  readonly log: ServerLog;
  readonly loadConnect: () => Promise<Connect>;
  readonly onListed: (tools: readonly ListedTool[]) => void;
  /** By turn: a person is asked one thing at a time, whichever server it comes from. */
  readonly questions: SerialLanes;
  readonly tell: (state: ConnectionState) => void;
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;
/** A connection that stood so long was a good one: the next loss is waited for from the beginning. */
const STEADY_MS = 60_000;
/** However often a server says that its list has changed. */
const LIST_EVERY_MS = 1000;
const MAX_ERROR_CHARACTERS = 10_000;

/** One server, from the file's entry to the end of it: connected, listed, and connected again when it is lost. */
export class ReconnectingServer {
  readonly server: ServerConfig;
  readonly #parts: ReconnectingServerParts;
  readonly #over = new AbortController();
  readonly #questions: Elicitations;
  readonly #listing: Coalesced;
  #state: ConnectionState = { kind: "connecting" };
  #life: Promise<void> = Promise.resolve();
  #pause = new AbortController();

  constructor(server: ServerConfig, parts: ReconnectingServerParts) {
    this.server = server;
    this.#parts = parts;
    this.#listing = new Coalesced(() => this.#listAgain(), { everyMs: LIST_EVERY_MS, signal: this.#over.signal });
    this.#questions = new Elicitations(server.name, { log: parts.log, lanes: parts.questions });
  }

  get state(): ConnectionState {
    return this.#state;
  }

  begin(): void {
    this.#life = this.#live();
  }

  /** What its process says on standard error. */
  get stderrTail(): readonly string[] {
    return this.#parts.log.stderrTail();
  }

  /** Ends the wait for the next try, where there is one. */
  retryNow(): void {
    if ("retryAt" in this.#state) this.#state = { ...this.#state, retryAt: Date.now() };
    this.#pause.abort();
  }

  /** Ends the connection and everything the server had running. */
  async close(): Promise<void> {
    this.#over.abort(new Error("the tool server is not in use any more"));
    await this.#life;
  }

  /** One call; a server that is not there fails it at once. */
  async call(tool: string, input: Readonly<Record<string, unknown>>, context: ToolContext): Promise<unknown> {
    const state = this.#state;
    const name = `the tool server ${this.server.name}`;
    if (state.kind === "connecting") throw new ToolFailed(`${name} is not connected yet`);
    if (state.kind !== "ready")
      throw new ToolFailed(`${name} is not connected (${state.error}); it is tried again by itself`);
    const close = this.#questions.open(context);
    try {
      const { signal } = context;
      const answer = await state.connection.call(tool, input, { signal, onProgress: () => context.progress() });
      if (answer.kind === "failed") throw new ToolFailed(`${name} failed: ${cut(this.#parts.log.hide(answer.words))}`);
      if (answer.isError) throw new ToolFailed(cut(textOf(answer.content)) || "the tool failed and did not say why");
      return resultForModel(answer);
    } finally {
      close();
    }
  }

  async #live(): Promise<void> {
    let waitMs = FIRST_WAIT_MS;
    const { signal } = this.#over;
    while (!signal.aborted) {
      const { stoodMs, error } = await this.#connectOnce();
      if (signal.aborted) return;
      if (stoodMs !== null && stoodMs >= STEADY_MS) waitMs = FIRST_WAIT_MS;
      this.#pause = new AbortController();
      this.#become({ kind: stoodMs === null ? "failed" : "restarting", error, retryAt: Date.now() + waitMs });
      const waited = await delay(waitMs, AbortSignal.any([signal, this.#pause.signal]));
      waitMs = waited ? Math.min(waitMs * 2, LONGEST_WAIT_MS) : FIRST_WAIT_MS;
    }
  }

  /** From one try to the end of what came of it; how long it stood, null when it never did. */
  async #connectOnce(): Promise<{ readonly stoodMs: number | null; readonly error: string }> {
    let connection: McpServerConnection | undefined;
    let since: number | null = null;
    const stoodMs = () => (since === null ? null : Date.now() - since);
    try {
      const connect = await this.#parts.loadConnect();
      connection = await connect(this.#order());
      this.#parts.onListed(await connection.listTools());
      this.#over.signal.throwIfAborted();
      since = Date.now();
      this.#become({ kind: "ready", connection });
      const error = await Promise.race([connection.ended, whenAborted(this.#over.signal)]);
      return { stoodMs: stoodMs(), error };
    } catch (error) {
      return {
        stoodMs: stoodMs(),
        error: this.#parts.log.hide(error instanceof Error ? error.message : String(error)),
      };
    } finally {
      await connection?.close().catch((error: unknown) => this.#parts.log.note(String(error)));
    }
  }

  #order(): ConnectParams {
    const { workspaceDir, environment, log } = this.#parts;
    return {
      server: this.server,
      workspaceDir,
      environment,
      log,
      onToolsChanged: () => this.#listing.ask(),
      onElicitation: (form) => this.#questions.ask(form),
      signal: this.#over.signal,
    };
  }

  /** What cannot be listed again stays as it was. */
  async #listAgain(): Promise<void> {
    const state = this.#state;
    if (state.kind !== "ready") return;
    try {
      const tools = await state.connection.listTools();
      if (this.#state === state) this.#parts.onListed(tools);
    } catch (error) {
      this.#parts.log.note(`the tools could not be listed again: ${String(error)}`);
    }
  }

  #become(state: ConnectionState): void {
    this.#state = state;
    this.#parts.tell(state);
  }
}

const cut = (text: string): string =>
  text.length > MAX_ERROR_CHARACTERS ? `${text.slice(0, MAX_ERROR_CHARACTERS).toWellFormed()}…` : text;

function whenAborted(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve("closed");
    else signal.addEventListener("abort", () => resolve("closed"), { once: true });
  });
}
