import { parseDeclaredTool } from "../tool-file.ts";
import { SHIPPED_AGENTS } from "./agents.ts";
import { SHIPPED_SKILLS } from "./skills.ts";
import { SHIPPED_TOOLS } from "./tools.ts";

/** The default catalog. It is part of the bundle, because an upgrade may replace separate files under a running engine. */
export const shippedEntries = () => ({
  agents: byName(SHIPPED_AGENTS),
  skills: byName(SHIPPED_SKILLS),
  tools: byName(Object.entries(SHIPPED_TOOLS).flatMap(([name, text]) => parseDeclaredTool(name, text) ?? [])),
});

const byName = <T extends { readonly name: string }>(entries: readonly T[]): Map<string, T> =>
  new Map(entries.map((entry) => [entry.name, entry]));
