import type { Tool } from "../tools/tool.ts";
import type { AgentDefinition, AgentPermission } from "./agent-file.ts";

/**
 * The tools an agent may call, each with the permission that the agent's file gives it. What it denies is not there at
 * all. With `neverAbove` the tools are another agent's, and the file can take leave away and never give any.
 */
export function toolsFor(
  { tools: patterns, permissions }: Pick<AgentDefinition, "tools" | "permissions">,
  tools: readonly Tool[],
  { neverAbove = false } = {},
): readonly Tool[] {
  return tools.flatMap((tool) => {
    if (patterns !== null && !patterns.some((pattern) => fits(pattern, tool.name))) return [];
    const permission = permissionOf(permissions, tool.name) ?? tool.permission;
    if (permission === "deny") return [];
    if (permission === tool.permission || (neverAbove && permission === "allow")) return [tool];
    return [{ ...tool, permission }];
  });
}

const fits = (pattern: string, name: string): boolean =>
  pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

function permissionOf(permissions: AgentDefinition["permissions"], name: string): AgentPermission | undefined {
  const fitting = Object.keys(permissions).filter((pattern) => fits(pattern, name));
  const longest = fitting.toSorted((left, right) => right.length - left.length)[0];
  return permissions[fitting.includes(name) ? name : (longest ?? name)];
}
