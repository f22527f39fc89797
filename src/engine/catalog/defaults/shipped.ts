import { parseDeclaredTool } from "../tool-file.ts";
import { SHIPPED_AGENTS } from "./agents.ts";
import { SHIPPED_SKILLS } from "./skills.ts";

/** The time is a tool because the system prompt must stay identical from turn to turn. */
const SHIPPED_TOOLS: Readonly<Record<string, string>> = {
  current_time: `{
  "description": "The current date and time in UTC, as ISO 8601.",
  "command": { "argv": ["date", "-u", "+%Y-%m-%dT%H:%M:%SZ"] },
  "permission": "allow",
  "read_only": true,
  "timeout_s": 10
}
`,
};

/** The default catalog. It is part of the bundle, because an upgrade may replace separate files under a running engine. */
export const shippedEntries = () => ({
  agents: byName(SHIPPED_AGENTS),
  skills: byName(SHIPPED_SKILLS),
  tools: byName(PARSED_TOOLS),
});

/** Parsed while the program loads, so that a start-up snapshot holds the result. */
const PARSED_TOOLS = Object.entries(SHIPPED_TOOLS).flatMap(([name, text]) => parseDeclaredTool(name, text) ?? []);

const byName = <T extends { readonly name: string }>(entries: readonly T[]): Map<string, T> =>
  new Map(entries.map((entry) => [entry.name, entry]));
