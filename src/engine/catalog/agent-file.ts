import * as z from "zod/mini";
import { entryDescription, entryName, requireSameName } from "./entry-name.ts";
import { readFrontMatter } from "./front-matter.ts";

export type AgentPermission = "allow" | "ask" | "deny";

/** An agent of the catalog: what it is told beyond the core soul, and what it may do. */
export interface AgentDefinition {
  readonly name: string;
  /** When to choose it; other agents read this. */
  readonly description: string;
  /** `main`, `planner`, `light`, or a model's own name. */
  readonly model: string;
  /** Names of tools, a `*` at the end standing for any rest; null for all there are. */
  readonly tools: readonly string[] | null;
  /** By a tool's name in the same form; the longest that fits counts. */
  readonly permissions: Readonly<Record<string, AgentPermission>>;
  readonly instructions: string;
}

const toolPattern = z
  .string()
  .check(z.regex(/^(?:\*|[\w-]{1,64}\*?)$/, "expected a tool's name, with * at its end for any rest"));

/** Other programs' agents name their tools in one line, between commas. */
const toolList = z.union([
  z.array(toolPattern),
  z.pipe(
    z.pipe(
      z.string(),
      z.transform((text) => text.split(",").map((name) => name.trim())),
    ),
    z.array(toolPattern),
  ),
]);

/** Strict: a field written wrong must not be an open door. */
const agentFields = z.strictObject({
  name: entryName,
  description: entryDescription,
  model: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
  tools: z.optional(toolList),
  permissions: z.optional(z.record(toolPattern, z.enum(["allow", "ask", "deny"]))),
  disabled: z.optional(z.boolean()),
});

/** Null for one that is switched off. Rejects with `BadEntry`. */
export async function parseAgent(fileName: string, text: string): Promise<AgentDefinition | null> {
  const read = await readFrontMatter(agentFields, text);
  requireSameName(read.kind === "off" ? (read.name ?? fileName) : read.fields.name, fileName);
  if (read.kind === "off") return null;
  const { name, description, model = "main", tools = null, permissions = {} } = read.fields;
  return { name, description, model, tools, permissions, instructions: read.body };
}
