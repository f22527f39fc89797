import { flushCompileCache } from "node:module";
import type { ServerAsset } from "../../contract/engine-api.ts";
import type { Logger } from "../../shared/logger.ts";
import { SerialLanes } from "../../shared/serial-lanes.ts";
import { VERSION } from "../../shared/version.ts";
import type { ToolSource } from "../tools/registry.ts";
import { type Tool, ToolFailed } from "../tools/tool.ts";
import type { Connect } from "./connection.ts";
import type { PinnedDefinitions } from "./pinned-definitions.ts";
import { invalidServerAsset, secondsUntil, serverAsset } from "./server-asset.ts";
import { type InvalidServer, NO_SERVERS, type ServerConfig, type ServersConfig } from "./server-config.ts";
import { ReconnectingServer } from "./reconnecting-server.ts";
import { createServerLog } from "./server-log.ts";
import { serverTool } from "./server-tool.ts";
import { type Allowed, PinnedTools } from "./pinned-tools.ts";

export interface ToolServersParts {
  readonly pins: PinnedDefinitions;
  readonly workspaceDir: string;
  /** All that local servers inherit. */
  readonly environment: Readonly<Record<string, string>>;
  readonly logger: Logger;
  /** Loads what speaks the protocol; asked for by the first server. */
  readonly loadConnect?: () => Promise<Connect>;
}

interface Served {
  readonly link: ReconnectingServer;
  readonly shelf: PinnedTools;
}

/** The tool servers of this engine. Nothing waits for them: what they offer is there from when they have said so. */
export class ToolServers implements ToolSource {
  readonly #parts: ToolServersParts;
  readonly #questions = new SerialLanes();
  /** By name: the end of one server, and the beginning of the next of that name. */
  readonly #endings = new SerialLanes();
  readonly #named = new Set<string>();
  #served: ReadonlyMap<string, Served> = new Map();
  #errors: readonly InvalidServer[] = [];
  #seen: readonly (readonly Tool[])[] = [];
  #tools: readonly Tool[] = [];
  #over = false;

  constructor(parts: ToolServersParts) {
    this.#parts = parts;
  }

  /** Those of servers that are being restarted are among them: the model's list does not change with each mishap. */
  tools(): readonly Tool[] {
    const lists = [...this.#served.values()].map(({ shelf }) => shelf.tools);
    if (lists.length !== this.#seen.length || lists.some((list, at) => list !== this.#seen[at])) {
      this.#seen = lists;
      this.#tools = lists.flat();
    }
    return this.#tools;
  }

  /**
   * Takes what the file says now: new servers are begun, removed ones ended, changed ones both, all others go on as they
   * are, but one that waits to be tried again is tried at once. Resolves when what was ended is gone.
   */
  async reload({ servers, errors }: ServersConfig): Promise<void> {
    if (this.#over) return;
    const before = this.#served;
    const next = new Map<string, Served>();
    const endings: Promise<void>[] = [];
    for (const server of servers) {
      const old = before.get(server.name);
      if (old !== undefined && JSON.stringify(old.link.server) === JSON.stringify(server)) {
        next.set(server.name, old);
        old.link.retryNow();
        continue;
      }
      this.#named.add(server.name);
      const fresh = this.#serve(server);
      next.set(server.name, fresh);
      // Two of one server would meet in its files and ports: what had the name before ends first.
      const ended = this.#endings.run(server.name, async () => old?.link.close());
      endings.push(ended.then(() => this.#begin(fresh)));
    }
    for (const [name, { link }] of before)
      if (!next.has(name)) endings.push(this.#endings.run(name, () => link.close()));
    this.#served = next;
    this.#errors = errors;
    await Promise.all(endings);
  }

  /** As `GET /assets/servers` tells it: entries that cannot be used are among them. */
  list(): {
    readonly servers: readonly ServerAsset[];
    readonly errors?: readonly Pick<InvalidServer, "path" | "message">[];
  } {
    const served = [...this.#served.values()].map(({ link, shelf }) => serverAsset(link, shelf));
    const bad = new Set(this.#errors.flatMap(({ name }) => name ?? []));
    const unusable = [...bad].map((name) =>
      invalidServerAsset(
        name,
        this.#errors.filter((error) => error.name === name),
      ),
    );
    const errors = this.#errors.map(({ path, message }) => ({ path, message }));
    return { servers: [...served, ...unusable], ...(errors.length > 0 && { errors }) };
  }

  /** A person has looked at what a server changed, and allows it. */
  allow(server: string, wish: Parameters<PinnedTools["allow"]>[0]): Allowed {
    const answer = this.#served.get(server)?.shelf.allow(wish) ?? "unknown";
    if (answer === "allowed") this.#parts.logger.info({ tool_server: server }, "changed tools were allowed");
    return answer;
  }

  /** Ends all of them; no process of any is left. */
  async close(): Promise<void> {
    const names = [...this.#named];
    const reloaded = this.reload(NO_SERVERS);
    this.#over = true;
    await reloaded;
    // Those that an earlier reload took out may still be going.
    await Promise.all(names.map((name) => this.#endings.run(name, () => Promise.resolve())));
  }

  /** Unless it has been taken out meanwhile. */
  #begin({ link }: Served): void {
    if (this.#served.get(link.server.name)?.link === link) link.begin();
  }

  #serve(server: ServerConfig): Served {
    const { pins, workspaceDir, environment, logger, loadConnect = loadFromBundle } = this.#parts;
    const link: ReconnectingServer = new ReconnectingServer(server, {
      workspaceDir,
      environment,
      loadConnect,
      log: createServerLog(logger, server),
      questions: this.#questions,
      onListed: (tools) => {
        shelf.put(tools);
        const held = shelf.entries.filter(({ kind }) => kind === "held").map(({ tool }) => tool);
        if (held.length > 0) logger.warn({ tool_server: server.name, held }, "changed tools are held back");
      },
      tell: (state) => {
        const fields = { tool_server: server.name, tools: shelf.tools.length };
        if (!("error" in state)) return logger.info(fields, `tool server ${state.kind}`);
        const { kind, error, retryAt } = state;
        return logger.warn({ ...fields, error, next_try_in_s: secondsUntil(retryAt) }, `tool server ${kind}`);
      },
    });
    const shelf: PinnedTools = new PinnedTools(server, pins, (entry) =>
      serverTool(server.name, entry, async (input, context) => {
        // Between the model's choice and the call a server may have made another tool of it.
        if (!shelf.isOffered(entry.tool, entry.hash))
          throw new ToolFailed("the tool has changed or is gone since it was offered; it was not called");
        return link.call(entry.tool, input, context);
      }),
    );
    return { link, shelf };
  }
}

/**
 * What speaks the protocol is a bundle of its own, which only engines with servers load. An upgrade may have replaced it
 * since this one was loaded, and the two have to belong together.
 */
async function loadFromBundle(): Promise<Connect> {
  const bundle = await import("./connect-server.ts");
  if (bundle.VERSION !== VERSION)
    throw new Error("the engine was upgraded while it ran and has to be restarted before it can use tool servers");
  flushCompileCache();
  return bundle.connectServer;
}
