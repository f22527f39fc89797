import { matchesTool, toolPattern } from "../../contract/engine/tool-pattern.ts";
import * as z from "zod/mini";
import { type Effort, MAX_FALLBACK } from "../../contract/engine/model-choice.ts";
import { effort, modelName } from "../../contract/engine/model-schemas.ts";
import { type OutputSchema, outputSchema } from "../../contract/engine/output-schema.ts";
import type { Tool } from "../tools/tool.ts";
import { entryDescription, entryName, requireSameName } from "./catalog-entry.ts";
import { readFrontMatter } from "./front-matter.ts";

export type AgentPermission = "allow" | "ask" | "deny";

/** An agent of the catalog: its instructions, tools and permissions. */
export interface AgentDefinition {
  readonly name: string;
  /** Tells other agents when to delegate to it. */
  readonly description: string;
  /** `main`, `planner`, `light`, `model` or `provider:model`. `main` is the model of the turn, if the call names one. */
  readonly model: string;
  readonly effort?: Effort;
  /** The models that answer when it fails, in order. Omitted: those of the policy. */
  readonly fallback?: readonly string[];
  /** Tool names or prefixes that end in `*`; null for all tools. */
  readonly tools: readonly string[] | null;
  /** By tool name or prefix; the longest match counts. */
  readonly permissions: Readonly<Record<string, AgentPermission>>;
  readonly instructions: string;
  /** Of the result of its turns, and of work that is delegated to it. Omitted: they end with text. */
  readonly outputSchema?: OutputSchema;
}

/** Agent files of other programs list tools in one comma-separated line. */
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

/** Strict: a misspelled field such as `permissions` must not be ignored. */
const agentFields = z.strictObject({
  name: entryName,
  description: entryDescription,
  model: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
  effort: z.optional(effort),
  fallback: z.optional(z.array(modelName).check(z.maxLength(MAX_FALLBACK))),
  tools: z.optional(toolList),
  permissions: z.optional(z.record(toolPattern, z.enum(["allow", "ask", "deny"]))),
  output_schema: z.optional(outputSchema()),
  disabled: z.optional(z.boolean()),
});

/** Null if disabled. Rejects with `BadEntry`. */
export async function parseAgent(fileName: string, text: string): Promise<AgentDefinition | null> {
  const read = await readFrontMatter(agentFields, text);
  requireSameName(read.kind === "disabled" ? (read.name ?? fileName) : read.fields.name, fileName);
  if (read.kind === "disabled") return null;
  const { name, description, model = "main", effort: own, fallback, tools = null, permissions = {} } = read.fields;
  const choice = { model, ...(own !== undefined && { effort: own }), ...(fallback !== undefined && { fallback }) };
  const { output_schema: schema } = read.fields;
  const result = schema && { outputSchema: schema };
  return { name, description, ...choice, tools, permissions, instructions: read.body, ...result };
}

/**
 * The tools an agent may call, with the permissions of its file; denied tools are omitted. With `neverAbove`, for a
 * sub-agent, the file can only restrict the permissions of its caller's tools.
 */
export function toolsFor(
  { tools: patterns, permissions }: Pick<AgentDefinition, "tools" | "permissions">,
  tools: readonly Tool[],
  { neverAbove = false } = {},
): readonly Tool[] {
  return tools.flatMap((tool) => {
    if (patterns !== null && !patterns.some((pattern) => matchesTool(pattern, tool.name))) return [];
    const permission = permissionOf(permissions, tool.name) ?? tool.permission;
    if (permission === "deny") return [];
    if (permission === tool.permission || (neverAbove && permission === "allow")) return [tool];
    return [{ ...tool, permission }];
  });
}

function permissionOf(permissions: AgentDefinition["permissions"], name: string): AgentPermission | undefined {
  const matching = Object.keys(permissions).filter((pattern) => matchesTool(pattern, name));
  const longest = matching.toSorted((left, right) => right.length - left.length)[0];
  return permissions[matching.includes(name) ? name : (longest ?? name)];
}
