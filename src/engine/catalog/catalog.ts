import type { AgentDefinition } from "./agent-file.ts";
import type { EntryProblem } from "./catalog-entry.ts";
import type { SkillDefinition } from "./skill-file.ts";
import type { DeclaredTool } from "./tool-file.ts";

/** An immutable snapshot of the catalog. */
export interface Catalog {
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  readonly skills: ReadonlyMap<string, SkillDefinition>;
  readonly tools: ReadonlyMap<string, DeclaredTool>;
  readonly servers: ServerList;
}

/** The text of `.mcp.json`, which `engine/mcp` parses. */
export interface ServerList {
  readonly count: number;
  /** Null without the file. */
  readonly text: string | null;
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
