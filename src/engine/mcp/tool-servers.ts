import { inBackground } from "../../shared/background.ts";
import type { LoginTarget } from "../../contract/engine/tool-login.ts";
import type { ServerAsset } from "../../contract/engine/tool-server.ts";
import type { Logger } from "../../shared/logger.ts";
import { SerialLanes } from "../../shared/serial-lanes.ts";
import { VERSION } from "../../shared/version.ts";
import type { LimitedLauncher } from "../../sandbox/programs.ts";
import type { ToolSource } from "../tools/registry.ts";
import type { Tool } from "../tools/tool.ts";
import type { IdentitySource } from "../tools/web/identity-source.ts";
import { type BeginningTurn, NewServers } from "./await-new-servers.ts";
import { ConfiguredServer, type ConfiguredServerParts } from "./configured-server.ts";
import type { Connect, ConnectParams } from "./connection.ts";
import type { KnownServers } from "./known-servers.ts";
import type { Allowed, PinnedTools } from "./pinned-tools.ts";
import { invalidServerAsset } from "./server-asset.ts";
import { type InvalidServer, NO_SERVERS, type ServersConfig } from "./server-config.ts";
import type { ToolBroker } from "./server-login.ts";
import type { PinnedDefinitions } from "./tool-definition.ts";

interface ToolServersParts {
  readonly pins: PinnedDefinitions;
  readonly known: KnownServers;
  readonly workspaceDir: string;
  /** The environment of local servers. */
  readonly environment: ConnectParams["environment"];
  readonly launcher: Pick<LimitedLauncher, "start">;
  readonly secrets: ConnectParams["secrets"];
  readonly proxyPort: ConnectParams["proxyPort"];
  readonly outside: ConnectParams["outside"];
  /** For servers with logins. Default: there is none. */
  readonly broker?: ToolBroker | null;
  readonly identity: IdentitySource;
  readonly logger: Logger;
  /** Loads the MCP client bundle; called when the first server starts. */
  readonly loadConnect?: () => Promise<Connect>;
}

/**
 * The tool servers of this engine. One whose tools are known from an earlier process is connected when one of them is
 * called. The others are connected at once, and their tools appear when they are listed.
 */
export class ToolServers implements ToolSource {
  readonly #parts: ConfiguredServerParts;
  readonly #newServers: NewServers;
  readonly #names = new Set<string>();
  #running: ReadonlyMap<string, ConfiguredServer> = new Map();
  #errors: readonly InvalidServer[] = [];
  #toolLists: readonly (readonly Tool[])[] = [];
  #tools: readonly Tool[] = [];
  #isClosed = false;

  constructor(parts: ToolServersParts) {
    const lanes = { elicitationLanes: new SerialLanes(), transitions: new SerialLanes() };
    this.#parts = { broker: null, ...lanes, ...parts, loadConnect: parts.loadConnect ?? loadFromBundle };
    this.#newServers = new NewServers(parts.logger);
  }

  /** Includes tools of restarting servers, so that the model's list stays stable for its prompt cache. */
  tools(): readonly Tool[] {
    const lists = [...this.#running.values()].map(({ offered }) => offered);
    if (lists.length !== this.#toolLists.length || lists.some((list, at) => list !== this.#toolLists[at])) {
      this.#toolLists = lists;
      this.#tools = lists.flat();
    }
    return this.#tools;
  }

  /**
   * Applies a configuration: starts new servers, closes removed ones, restarts changed ones. Unchanged servers keep
   * running; those in backoff retry at once, and idle ones connect. Only the first configuration leaves servers idle.
   * Resolves when the closed servers are gone.
   */
  async reload({ servers, errors }: ServersConfig): Promise<void> {
    if (this.#isClosed) return;
    const before = this.#running;
    const isFirst = this.#names.size === 0;
    const next = new Map<string, ConfiguredServer>();
    const transitions: Promise<void>[] = [];
    for (const config of servers) {
      const old = before.get(config.name);
      if (old !== undefined && JSON.stringify(old.config) === JSON.stringify(config)) {
        next.set(config.name, old);
        transitions.push(old.connect());
        continue;
      }
      this.#names.add(config.name);
      const created = new ConfiguredServer(config, this.#parts);
      next.set(config.name, created);
      // Two instances would share files and ports: the predecessor closes first.
      if (old !== undefined) transitions.push(old.close());
      if (!isFirst || !created.isRestored) transitions.push(created.connect());
    }
    for (const [name, server] of before) if (!next.has(name)) transitions.push(server.close());
    this.#running = next;
    this.#errors = errors;
    await Promise.all(transitions);
  }

  /** The body of `GET /assets/servers`; includes invalid entries. */
  list(): {
    readonly servers: readonly ServerAsset[];
    readonly errors?: readonly Pick<InvalidServer, "path" | "message">[];
  } {
    const running = [...this.#running.values()].map((server) => server.asset());
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

  /**
   * Waits, for a limited time, for servers whose tools are not known yet. Servers whose tools have not been listed for
   * long are connected meanwhile. Never rejects.
   */
  async toolsReady(turn: BeginningTurn): Promise<void> {
    const servers = [...this.#running.values()];
    for (const server of servers)
      if (server.isIdle && server.isOutdated(Date.now())) inBackground("listing of tools", server.connect());
    await this.#newServers.wait(servers, turn);
  }

  /** Allows changed tools after a person has reviewed them. */
  allow(server: string, selection: Parameters<PinnedTools["allow"]>[0]): Allowed {
    const result = this.#running.get(server)?.tools.allow(selection) ?? "unknown";
    if (result === "allowed") this.#parts.logger.info({ tool_server: server }, "allowed changed tools");
    return result;
  }

  /** The servers to which users sign in. */
  loginTargets(): readonly LoginTarget[] {
    return [...this.#running.values()].flatMap(({ loginTarget }) => loginTarget ?? []);
  }

  /** The user has signed in to a server, which is connected if it waited for that. */
  signedIn(server: string): void {
    const running = this.#running.get(server);
    if (running !== undefined && !running.isIdle) inBackground("login at a tool server", running.connect());
  }

  /** Closes all servers; no process is left. */
  async close(): Promise<void> {
    const names = [...this.#names];
    const reloaded = this.reload(NO_SERVERS);
    this.#isClosed = true;
    await reloaded;
    // Servers removed by an earlier reload may still be closing.
    await Promise.all(names.map((name) => this.#parts.transitions.run(name, () => Promise.resolve())));
  }
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
