import type { AgentDefinition } from "./agent-file.ts";
import type { EntryProblem } from "./bad-entry.ts";
import type { SkillDefinition } from "./skill-file.ts";
import type { DeclaredTool } from "./tool-file.ts";

/** All that the catalog has, at one moment; a reload makes another and never changes this one. */
export interface Catalog {
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  readonly skills: ReadonlyMap<string, SkillDefinition>;
  readonly tools: ReadonlyMap<string, DeclaredTool>;
  readonly servers: ServerList;
}

/** What `.mcp.json` says, which only the room of the tool servers understands. */
export interface ServerList {
  readonly count: number;
  /** Null without such a file. */
  readonly text: string | null;
}

export interface CatalogReading {
  /** Without what is bad; where something of that name ships with the engine, that stands in its place. */
  readonly catalog: Catalog;
  readonly problems: readonly EntryProblem[];
  /** What was taken although it may be a mistake. */
  readonly warnings: readonly EntryProblem[];
}
