import type { ToolRule } from "../tools/tool-rules.ts";
import type { AgentDefinition } from "./agent-file.ts";
import type { EntryProblem } from "./catalog-entry.ts";
import type { SkillDefinition } from "./skill-file.ts";
import type { DeclaredTool } from "./tool-file.ts";

/** An immutable snapshot of the catalog. */
export interface Catalog {
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  readonly skills: ReadonlyMap<string, FromFolder<SkillDefinition>>;
  readonly tools: ReadonlyMap<string, FromFolder<DeclaredTool>>;
  readonly servers: ServerList;
  /** In the order in which they are judged: the engine's own before the product's. */
  readonly rules: readonly ToolRule[];
}

/** An entry with the catalog folder that it was read from; null for a shipped one. */
export type FromFolder<Entry> = Entry & { readonly folder: string | null };

/** The texts of `.mcp.json`, which `engine/mcp` parses. */
export interface ServerList {
  readonly count: number;
  /** The product's before the engine's, which overrides it. */
  readonly texts: readonly string[];
}

/** The folders over the shipped entries. The engine's overrides the product's. */
export interface CatalogFolders {
  /** A version of the product's catalog. Null without one. */
  readonly product: string | null;
  readonly engine: string;
}

export interface CatalogReading {
  /** Without invalid entries; a shipped entry of the same name takes their place. */
  readonly catalog: Catalog;
  readonly problems: readonly EntryProblem[];
  /** Possible mistakes in valid entries. */
  readonly warnings: readonly EntryProblem[];
}

/** Name of the tool that reads skills. */
export const USE_SKILL = "use_skill";
