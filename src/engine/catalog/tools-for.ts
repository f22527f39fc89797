import type { Tool } from "../tools/tool.ts";
import type { AgentDefinition, AgentPermission } from "./agent-file.ts";

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
    if (patterns !== null && !patterns.some((pattern) => matches(pattern, tool.name))) return [];
    const permission = permissionOf(permissions, tool.name) ?? tool.permission;
    if (permission === "deny") return [];
    if (permission === tool.permission || (neverAbove && permission === "allow")) return [tool];
    return [{ ...tool, permission }];
  });
}

const matches = (pattern: string, name: string): boolean =>
  pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

function permissionOf(permissions: AgentDefinition["permissions"], name: string): AgentPermission | undefined {
  const matching = Object.keys(permissions).filter((pattern) => matches(pattern, name));
  const longest = matching.toSorted((left, right) => right.length - left.length)[0];
  return permissions[matching.includes(name) ? name : (longest ?? name)];
}
