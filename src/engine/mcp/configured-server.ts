import type { ServerAsset } from "../../contract/engine/tool-server.ts";
import type { Logger } from "../../shared/logger.ts";
import type { SerialLanes } from "../../shared/serial-lanes.ts";
import type { LoginTarget } from "../../contract/engine/tool-login.ts";
import { type CallStart, type Tool, type ToolContext, ToolFailed } from "../tools/tool.ts";
import type { Connect, ConnectParams, ListedTool } from "./connection.ts";
import { type KnownServers, type Listing, isOutdated, serverAddress } from "./known-servers.ts";
import { PinnedTools, serverTool } from "./pinned-tools.ts";
import { type ConnectionState, ReconnectingServer } from "./reconnecting-server.ts";
import { secondsUntil, serverAsset } from "./server-asset.ts";
import type { HttpServerConfig, ServerConfig } from "./server-config.ts";
import { askForLogin, hasLogin, targetOf } from "./server-login.ts";
import { createServerLog } from "./server-log.ts";
import { signInTool } from "./sign-in-tool.ts";
import type { PinnedDefinitions } from "./tool-definition.ts";

export interface ConfiguredServerParts extends Pick<
  ConnectParams,
  "workspaceDir" | "environment" | "launcher" | "secrets" | "proxyPort" | "outside" | "broker" | "identity"
> {
  readonly pins: PinnedDefinitions;
  readonly known: KnownServers;
  readonly loadConnect: () => Promise<Connect>;
  readonly elicitationLanes: SerialLanes;
  /** By server name: one server closes before its successor connects. */
  readonly transitions: SerialLanes;
  readonly logger: Logger;
}

/**
 * One entry of `.mcp.json`: its connection and its tools. Tools of its last listing, by an earlier process too, are
 * offered before it is connected, and connect it when they are called.
 */
export class ConfiguredServer {
  readonly config: ServerConfig;
  readonly tools: PinnedTools;
  readonly #parts: ConfiguredServerParts;
  readonly #address: string;
  readonly #connection: ReconnectingServer;
  readonly #signIn: Tool | null;
  #shown: { readonly of: readonly Tool[]; readonly all: readonly Tool[] } | null = null;
  #listing: Listing | null;
  /** Whether all of that listing is known here. */
  #isRestored: boolean;
  #waited: boolean;
  #isClosed = false;

  constructor(config: ServerConfig, parts: ConfiguredServerParts) {
    const { pins, known, logger } = parts;
    this.config = config;
    this.#parts = parts;
    this.#address = serverAddress(config);
    this.#connection = new ReconnectingServer(config, {
      ...parts,
      log: createServerLog(logger, config),
      onListed: (listed) => this.#listed(listed),
      onStateChange: (state) => logState(logger, state, { tool_server: config.name, tools: this.tools.tools.length }),
    });
    this.tools = new PinnedTools(config, pins, (entry) =>
      serverTool(config, entry, {
        run: (input, context) => this.#call(entry, input, context),
        ...(hasLogin(config) && { beforeStart: (start: CallStart) => this.#signedIn(config, start) }),
      }),
    );
    this.#signIn = hasLogin(config)
      ? signInTool(config, { beforeStart: (start) => this.#signedIn(config, start), tools: () => this.tools.tools })
      : null;
    const { listing = null, waited = false } = known.find(config.name, this.#address) ?? {};
    this.#listing = listing;
    this.#waited = waited;
    this.#isRestored = listing !== null && this.tools.restore(listing.hashes);
  }

  get name(): string {
    return this.config.name;
  }

  get isIdle(): boolean {
    return this.#connection.state.kind === "idle";
  }

  /** Its tools, and the login that shows them; the same array while nothing changes. */
  get offered(): readonly Tool[] {
    const { tools } = this.tools;
    if (this.#signIn === null) return tools;
    if (this.#shown?.of !== tools) {
      const { name } = this.#signIn;
      const all = tools.some((one) => one.name === name) ? tools : [this.#signIn, ...tools];
      this.#shown = { of: tools, all };
    }
    return this.#shown.all;
  }

  /** What a login at this server is for. Null for a server without. */
  get loginTarget(): LoginTarget | null {
    return hasLogin(this.config) ? targetOf(this.config) : null;
  }

  get isReady(): boolean {
    return this.#connection.state.kind === "ready";
  }

  /** Whether it can stay idle until one of its tools is called. */
  get isRestored(): boolean {
    return this.#isRestored;
  }

  isOutdated(now: number): boolean {
    return this.#listing === null || isOutdated(this.#listing, now);
  }

  /** Whether a turn waits for its first listing. */
  get isAwaited(): boolean {
    const { kind } = this.#connection.state;
    return this.#listing === null && !this.#waited && (kind === "idle" || kind === "connecting");
  }

  /** Resolves when the first attempt to connect has ended, or it was closed. */
  get attempted(): Promise<void> {
    return this.#connection.attempted;
  }

  /** From now on no turn waits for it, in later processes too. */
  markWaited(): void {
    this.#waited = true;
    this.#store(() => this.#parts.known.waited(this.name, this.#address));
  }

  /** Connects unless it is connected, and retries at once if it waits to. Resolves when the attempt has begun. */
  async connect(): Promise<void> {
    if (!this.isIdle) return this.#connection.retryNow();
    await this.#parts.transitions.run(this.name, async () => {
      if (!this.#isClosed) this.#connection.start();
    });
  }

  /** Resolves when no process of it is left. One that has not started never will. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#parts.transitions.run(this.name, () => this.#connection.close());
  }

  asset(): ServerAsset {
    return serverAsset(this.#connection, this.tools);
  }

  /** Waits until the user has signed in. */
  async #signedIn(server: HttpServerConfig, start: CallStart): Promise<void> {
    if (this.isIdle) await this.connect();
    await this.#connection.untilAttempted(start);
    await askForLogin(server, this.#parts.broker, { connection: this.#connection, start });
  }

  async #call(
    { tool, hash }: { readonly tool: string; readonly hash: string },
    input: Readonly<Record<string, unknown>>,
    context: ToolContext,
  ): Promise<unknown> {
    if (this.isIdle) await this.connect();
    await this.#connection.untilAttempted(context);
    // The tool may have changed since the model chose it, or since the listing of an earlier process.
    if (!this.tools.isOffered(tool, hash))
      throw new ToolFailed("the tool changed or was removed after it was offered; it was not called");
    return this.#connection.call(tool, input, context);
  }

  #listed(listed: readonly ListedTool[]): void {
    const { tools, name } = this;
    const { known, logger } = this.#parts;
    tools.update(listed);
    const listing = { at: Date.now(), hashes: tools.hashes };
    this.#listing = listing;
    this.#store(() => known.listed(name, this.#address, listing));
    const held = tools.entries.filter(({ kind }) => kind === "held").map(({ tool }) => tool);
    if (held.length > 0) logger.warn({ tool_server: name, held }, "held changed tools");
  }

  /** Best effort: without the row, the next process waits for the server once more. */
  #store(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#parts.logger.warn({ err: error, tool_server: this.name }, "failed to store what a tool server listed");
    }
  }
}

function logState(logger: Logger, state: ConnectionState, fields: Readonly<Record<string, unknown>>): void {
  if (!("error" in state)) return logger.info(fields, `tool server ${state.kind}`);
  const { kind, error, retry } = state;
  logger.warn({ ...fields, error, next_try_in_s: secondsUntil(retry) }, `tool server ${kind}`);
}
