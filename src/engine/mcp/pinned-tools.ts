import type { Tool } from "../tools/tool.ts";
import type { ListedTool } from "./connection.ts";
import { MAX_TOOLS, checkDefinition } from "./tool-definition.ts";
import type { PinnedDefinition, PinnedDefinitions } from "./pinned-definitions.ts";
import type { ServerConfig, ServerPermission } from "./server-config.ts";
import { toolName } from "./tool-names.ts";

interface Known {
  /** The server's own name. */
  readonly tool: string;
  readonly name: string;
  readonly permission: ServerPermission;
}
/** One listed tool: offered to the model, held back because it changed, denied by the file, or of no use. */
export type PinnedTool =
  | (Known & PinnedDefinition & { readonly kind: "offered" | "denied" })
  | (Known & PinnedDefinition & { readonly kind: "held"; readonly was: PinnedDefinition })
  | (Known & { readonly kind: "left_out"; readonly why: string });

export type Allowed = "allowed" | "unknown" | "changed_again";

/** More than any server has: one that invents new names at each listing may not fill the store. */
const MAX_PINS = 4096;

/** The tools of one server, each held to the definition it was first seen with. */
export class PinnedTools {
  readonly #server: ServerConfig;
  readonly #pins: PinnedDefinitions;
  readonly #make: (entry: Extract<PinnedTool, { kind: "offered" | "denied" }>) => Tool;
  #entries: readonly PinnedTool[] = [];
  #tools: readonly Tool[] = [];
  readonly #made = new Map<string, { readonly hash: string; readonly tool: Tool }>();

  constructor(
    server: ServerConfig,
    pins: PinnedDefinitions,
    make: (entry: Extract<PinnedTool, { kind: "offered" | "denied" }>) => Tool,
  ) {
    this.#server = server;
    this.#pins = pins;
    this.#make = make;
  }

  get entries(): readonly PinnedTool[] {
    return this.#entries;
  }

  /** The offered ones; the same array, of the same tools, while nothing has changed. */
  get tools(): readonly Tool[] {
    return this.#tools;
  }

  isOffered(tool: string, hash: string): boolean {
    return this.#entries.some((entry) => entry.kind === "offered" && entry.tool === tool && entry.hash === hash);
  }

  put(listed: readonly ListedTool[]): void {
    const { name: server } = this.#server;
    const pinned = this.#pins.ofServer(server);
    const fresh = new Map<string, PinnedDefinition>();
    const entries = new Map<string, PinnedTool>();
    for (const one of listed) {
      if (entries.has(one.name)) continue;
      const entry = this.#entryOf(one, pinned, { full: entries.size >= MAX_TOOLS, pins: pinned.size + fresh.size });
      entries.set(one.name, entry);
      if (entry.kind === "left_out" || entry.kind === "held") continue;
      if (pinned.get(entry.tool)?.hash !== entry.hash) fresh.set(entry.tool, entry);
    }
    if (fresh.size > 0) this.#pins.pin(server, fresh);
    this.#show([...entries.values()]);
  }

  /** Lets held tools through as they are now; one that was named by its hash only if it still is what was seen. */
  allow(wish: { readonly tool: string; readonly hash: string } | "all"): Allowed {
    const held = this.#entries.filter((entry) => entry.kind === "held");
    const meant = wish === "all" ? held : held.filter(({ tool }) => tool === wish.tool);
    if (meant.length === 0) return "unknown";
    if (wish !== "all" && meant.some(({ hash }) => hash !== wish.hash)) return "changed_again";
    this.#pins.pin(this.#server.name, new Map(meant.map((entry) => [entry.tool, entry])));
    this.#show(
      this.#entries.map((entry) => (entry.kind === "held" && meant.includes(entry) ? this.#admitted(entry) : entry)),
    );
    return "allowed";
  }

  #entryOf(
    listed: ListedTool,
    pinned: ReadonlyMap<string, PinnedDefinition>,
    { full, pins }: { readonly full: boolean; readonly pins: number },
  ): PinnedTool {
    const { name: server, permissions, pin } = this.#server;
    const { name: tool } = listed;
    const permission = Object.hasOwn(permissions, tool) ? permissions[tool] : permissions["*"];
    const known: Known = { tool, name: toolName(server, tool), permission: permission ?? "ask" };
    if (full) return { ...known, kind: "left_out", why: `the server has more than ${MAX_TOOLS} tools` };
    const judged = checkDefinition(listed);
    if (judged.kind === "unusable") return { ...known, kind: "left_out", why: judged.why };
    const { definition, hash } = judged;
    const before = pinned.get(tool);
    if (before === undefined && pins >= MAX_PINS)
      return { ...known, kind: "left_out", why: `the server has had more than ${MAX_PINS} different tools` };
    if (pin && before !== undefined && before.hash !== hash)
      return { ...known, kind: "held", definition, hash, was: before };
    return this.#admitted({ ...known, definition, hash });
  }

  #admitted({ tool, name, permission, definition, hash }: Known & PinnedDefinition): PinnedTool {
    return { tool, name, permission, definition, hash, kind: permission === "deny" ? "denied" : "offered" };
  }

  #show(entries: readonly PinnedTool[]): void {
    this.#entries = entries.toSorted((left, right) => (left.tool < right.tool ? -1 : 1));
    const tools = this.#entries.flatMap((entry) => (entry.kind === "offered" ? [this.#toolOf(entry)] : []));
    if (tools.length !== this.#tools.length || tools.some((tool, at) => tool !== this.#tools[at])) this.#tools = tools;
  }

  #toolOf(entry: Extract<PinnedTool, { kind: "offered" | "denied" }>): Tool {
    const made = this.#made.get(entry.tool);
    if (made?.hash === entry.hash) return made.tool;
    const tool = this.#make(entry);
    this.#made.set(entry.tool, { hash: entry.hash, tool });
    return tool;
  }
}
