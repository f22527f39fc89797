import type { ServerAsset } from "../../contract/engine-api.ts";
import { delay } from "../../shared/clock.ts";
import type { Logger } from "../../shared/logger.ts";
import { SerialLanes } from "../../shared/serial-lanes.ts";
import { VERSION } from "../../shared/version.ts";
import type { LimitedLauncher } from "../isolation/limits/limited-launcher.ts";
import type { ToolSource } from "../tools/registry.ts";
import { type Tool, ToolFailed } from "../tools/tool.ts";
import type { Connect } from "./connection.ts";
import type { PinnedDefinitions } from "./tool-definition.ts";
import { type Allowed, PinnedTools, serverTool } from "./pinned-tools.ts";
import { type ConnectionState, ReconnectingServer } from "./reconnecting-server.ts";
import { invalidServerAsset, secondsUntil, serverAsset } from "./server-asset.ts";
import { type InvalidServer, NO_SERVERS, type ServerConfig, type ServersConfig } from "./server-config.ts";
import { createServerLog } from "./server-log.ts";

/** How long resumed turns wait for their tools. */
const MAX_WAIT_MS = 15_000;
const POLL_MS = 50;

interface ToolServersParts {
  readonly pins: PinnedDefinitions;
  readonly workspaceDir: string;
  /** The environment of local servers. */
  readonly environment: Readonly<Record<string, string>>;
  readonly launcher: Pick<LimitedLauncher, "start">;
  readonly logger: Logger;
  /** Loads the MCP client bundle; called when the first server starts. */
  readonly loadConnect?: () => Promise<Connect>;
}

interface RunningServer {
  readonly server: ReconnectingServer;
  readonly tools: PinnedTools;
}

/** The tool servers of this engine. Nothing waits for them: their tools appear once they are listed. */
export class ToolServers implements ToolSource {
  readonly #parts: ToolServersParts;
  readonly #elicitationLanes = new SerialLanes();
  /** By server name: one server closes before its successor starts. */
  readonly #transitions = new SerialLanes();
  readonly #names = new Set<string>();
  #running: ReadonlyMap<string, RunningServer> = new Map();
  #errors: readonly InvalidServer[] = [];
  #toolLists: readonly (readonly Tool[])[] = [];
  #tools: readonly Tool[] = [];
  #isClosed = false;

  constructor(parts: ToolServersParts) {
    this.#parts = parts;
  }

  /** Includes tools of restarting servers, so that the model's list stays stable for its prompt cache. */
  tools(): readonly Tool[] {
    const lists = [...this.#running.values()].map(({ tools }) => tools.tools);
    if (lists.length !== this.#toolLists.length || lists.some((list, at) => list !== this.#toolLists[at])) {
      this.#toolLists = lists;
      this.#tools = lists.flat();
    }
    return this.#tools;
  }

  /**
   * Applies a configuration: starts new servers, closes removed ones, restarts changed ones. Unchanged servers keep
   * running; those in backoff retry at once. Resolves when the closed servers are gone.
   */
  async reload({ servers, errors }: ServersConfig): Promise<void> {
    if (this.#isClosed) return;
    const before = this.#running;
    const next = new Map<string, RunningServer>();
    const transitions: Promise<void>[] = [];
    for (const config of servers) {
      const old = before.get(config.name);
      if (old !== undefined && JSON.stringify(old.server.server) === JSON.stringify(config)) {
        next.set(config.name, old);
        old.server.retryNow();
        continue;
      }
      this.#names.add(config.name);
      const created = this.#create(config);
      next.set(config.name, created);
      // Two instances would share files and ports: the predecessor closes first.
      const closed = this.#transitions.run(config.name, async () => old?.server.close());
      transitions.push(closed.then(() => this.#start(created)));
    }
    for (const [name, { server }] of before)
      if (!next.has(name)) transitions.push(this.#transitions.run(name, () => server.close()));
    this.#running = next;
    this.#errors = errors;
    await Promise.all(transitions);
  }

  /** The body of `GET /assets/servers`; includes invalid entries. */
  list(): {
    readonly servers: readonly ServerAsset[];
    readonly errors?: readonly Pick<InvalidServer, "path" | "message">[];
  } {
    const running = [...this.#running.values()].map(({ server, tools }) => serverAsset(server, tools));
    const invalidNames = new Set(this.#errors.flatMap(({ name }) => name ?? []));
    const invalid = [...invalidNames].map((name) =>
      invalidServerAsset(
        name,
        this.#errors.filter((error) => error.name === name),
      ),
    );
    const errors = this.#errors.map(({ path, message }) => ({ path, message }));
    return { servers: [...running, ...invalid], ...(errors.length > 0 && { errors }) };
  }

  /** Resolves when every server has connected or failed, or after {@link MAX_WAIT_MS}. */
  async waitUntilConnected(): Promise<void> {
    const end = Date.now() + MAX_WAIT_MS;
    const isConnecting = () => [...this.#running.values()].some(({ server }) => server.state.kind === "connecting");
    while (isConnecting() && Date.now() < end) await delay(POLL_MS);
  }

  /** Allows changed tools after a person has reviewed them. */
  allow(server: string, selection: Parameters<PinnedTools["allow"]>[0]): Allowed {
    const result = this.#running.get(server)?.tools.allow(selection) ?? "unknown";
    if (result === "allowed") this.#parts.logger.info({ tool_server: server }, "allowed changed tools");
    return result;
  }

  /** Closes all servers; no process is left. */
  async close(): Promise<void> {
    const names = [...this.#names];
    const reloaded = this.reload(NO_SERVERS);
    this.#isClosed = true;
    await reloaded;
    // Servers removed by an earlier reload may still be closing.
    await Promise.all(names.map((name) => this.#transitions.run(name, () => Promise.resolve())));
  }

  /** Does nothing if the server has been removed in the meantime. */
  #start({ server }: RunningServer): void {
    if (this.#running.get(server.server.name)?.server === server) server.start();
  }

  #create(config: ServerConfig): RunningServer {
    const { pins, workspaceDir, environment, launcher, logger, loadConnect = loadFromBundle } = this.#parts;
    const { name } = config;
    const server: ReconnectingServer = new ReconnectingServer(config, {
      workspaceDir,
      environment,
      launcher,
      loadConnect,
      log: createServerLog(logger, config),
      elicitationLanes: this.#elicitationLanes,
      onListed: (listed) => {
        tools.update(listed);
        const held = tools.entries.filter(({ kind }) => kind === "held").map(({ tool }) => tool);
        if (held.length > 0) logger.warn({ tool_server: name, held }, "held changed tools");
      },
      onStateChange: (state) => logState(logger, state, { tool_server: name, tools: tools.tools.length }),
    });
    const tools: PinnedTools = new PinnedTools(config, pins, (entry) =>
      serverTool(name, entry, async (input, context) => {
        // The tool may have changed since the model chose it.
        if (!tools.isOffered(entry.tool, entry.hash))
          throw new ToolFailed("the tool changed or was removed after it was offered; it was not called");
        return server.call(entry.tool, input, context);
      }),
    );
    return { server, tools };
  }
}

function logState(logger: Logger, state: ConnectionState, fields: Readonly<Record<string, unknown>>): void {
  if (!("error" in state)) return logger.info(fields, `tool server ${state.kind}`);
  const { kind, error, retryAt } = state;
  logger.warn({ ...fields, error, next_try_in_s: secondsUntil(retryAt) }, `tool server ${kind}`);
}

/**
 * The MCP client is a separate bundle that only engines with tool servers load. An upgrade may have replaced it since
 * this bundle was loaded; the versions must match.
 */
async function loadFromBundle(): Promise<Connect> {
  const bundle = await import("./connect-server.ts");
  if (bundle.VERSION !== VERSION)
    throw new Error("the engine was upgraded while running; restart it to use tool servers");
  return bundle.connectServer;
}
