import { isRecord } from "../../shared/json-values.ts";
import type { Tool } from "../tools/tool.ts";
import type { ListedTool } from "./connection.ts";
import type { ServerConfig, ServerPermission } from "./server-config.ts";
import {
  MAX_TOOLS,
  type PinnedDefinition,
  type PinnedDefinitions,
  checkDefinition,
  toolName,
} from "./tool-definition.ts";

interface ListedEntry {
  /** The server's name of the tool. */
  readonly tool: string;
  readonly name: string;
  readonly permission: ServerPermission;
}
/** A listed tool: offered to the model, held because it changed, denied by `.mcp.json`, or unusable. */
export type PinnedTool =
  | (ListedEntry & PinnedDefinition & { readonly kind: "offered" | "denied" })
  | (ListedEntry & PinnedDefinition & { readonly kind: "held"; readonly was: PinnedDefinition })
  | (ListedEntry & { readonly kind: "left_out"; readonly reason: string });

export type Allowed = "allowed" | "unknown" | "changed_again";

/** Bounds the store against a server that lists new names each time. */
const MAX_PINS = 4096;

/** The tools of one server; a tool whose definition differs from its pin is held until allowed. */
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

  /**
   * Offers the tools of an earlier listing until the server lists them again. False if that listing had other definitions
   * than the pinned ones: only the server knows those.
   */
  restore(hashes: ReadonlyMap<string, string>): boolean {
    const pinned = this.#pins.ofServer(this.#server.name);
    const entries: PinnedTool[] = [];
    for (const [tool, hash] of hashes) {
      const pin = pinned.get(tool);
      if (pin?.hash === hash) entries.push(this.#admitted({ ...this.#known(tool), ...pin }));
    }
    this.#show(entries);
    return entries.length === hashes.size;
  }

  /** The hash of each listed definition, for {@link restore}. */
  get hashes(): ReadonlyMap<string, string> {
    return new Map(this.#entries.flatMap((entry) => (entry.kind === "left_out" ? [] : [[entry.tool, entry.hash]])));
  }

  get entries(): readonly PinnedTool[] {
    return this.#entries;
  }

  /** The offered tools; the same array while nothing changes, for the provider's prompt cache. */
  get tools(): readonly Tool[] {
    return this.#tools;
  }

  isOffered(tool: string, hash: string): boolean {
    return this.#entries.some((entry) => entry.kind === "offered" && entry.tool === tool && entry.hash === hash);
  }

  update(listed: readonly ListedTool[]): void {
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

  /** Pins held tools as they are now; a named one only if its hash still matches. */
  allow(selection: { readonly tool: string; readonly hash: string } | "all"): Allowed {
    const held = this.#entries.filter((entry) => entry.kind === "held");
    const selected = selection === "all" ? held : held.filter(({ tool }) => tool === selection.tool);
    if (selected.length === 0) return "unknown";
    if (selection !== "all" && selected.some(({ hash }) => hash !== selection.hash)) return "changed_again";
    this.#pins.pin(this.#server.name, new Map(selected.map((entry) => [entry.tool, entry])));
    this.#show(
      this.#entries.map((entry) => (entry.kind === "held" && selected.includes(entry) ? this.#admitted(entry) : entry)),
    );
    return "allowed";
  }

  #entryOf(
    listed: ListedTool,
    pinned: ReadonlyMap<string, PinnedDefinition>,
    { full, pins }: { readonly full: boolean; readonly pins: number },
  ): PinnedTool {
    const { pin } = this.#server;
    const { name: tool } = listed;
    const known = this.#known(tool);
    if (full) return { ...known, kind: "left_out", reason: `the server has more than ${MAX_TOOLS} tools` };
    const verdict = checkDefinition(listed);
    if (verdict.kind === "unusable") return { ...known, kind: "left_out", reason: verdict.reason };
    const { definition, hash } = verdict;
    const before = pinned.get(tool);
    if (before === undefined && pins >= MAX_PINS)
      return { ...known, kind: "left_out", reason: `the server has had more than ${MAX_PINS} different tools` };
    if (pin && before !== undefined && before.hash !== hash)
      return { ...known, kind: "held", definition, hash, was: before };
    return this.#admitted({ ...known, definition, hash });
  }

  #known(tool: string): ListedEntry {
    const { name: server, permissions } = this.#server;
    const permission = Object.hasOwn(permissions, tool) ? permissions[tool] : permissions["*"];
    return { tool, name: toolName(server, tool), permission: permission ?? "ask" };
  }

  #admitted({ tool, name, permission, definition, hash }: ListedEntry & PinnedDefinition): PinnedTool {
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

/** A server's tool as an agent tool. The server validates the input: compiling its schema would run untrusted input. */
export function serverTool(
  { name: server, transport, alwaysLoad }: Pick<ServerConfig, "name" | "transport" | "alwaysLoad">,
  { tool, name, permission, definition }: Extract<PinnedTool, { kind: "offered" | "denied" }>,
  how: Pick<Tool, "run" | "beforeStart">,
): Tool {
  const { description, inputSchema, readOnly } = definition;
  const resource = `server:${server}`;
  return {
    name,
    description: description === "" ? `A tool of ${server}.` : description,
    input: { jsonSchema: inputSchema, check: checkObject },
    source: resource,
    ...((alwaysLoad === "all" || alwaysLoad.includes(tool)) && { alwaysLoad: true }),
    readOnly,
    permission: permission === "allow" ? "allow" : "ask",
    resources: () => (readOnly ? [] : [resource]),
    reads: () => (readOnly ? [resource] : []),
    changesFiles: transport === "stdio" && !readOnly,
    // A grant covers the tool, because the input of calls differs.
    subject: () => `the tool server ${server}, with any arguments`,
    prolongedByProgress: true,
    ...how,
  };
}

const checkObject: Tool["input"]["check"] = (input) =>
  isRecord(input)
    ? { kind: "valid", input }
    : { kind: "invalid", message: "invalid arguments: expected a JSON object" };
