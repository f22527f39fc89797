import type { Tool } from "../tools/tool.ts";
import type { Catalog } from "./catalog.ts";
import { type DeclaredToolParts, declaredTool } from "./declared-tool.ts";
import { useSkill } from "./use-skill.ts";

/** The declared tools of a catalog, and `use_skill` if it has skills. */
export function catalogTools({ tools, skills }: Catalog, parts: DeclaredToolParts): readonly Tool[] {
  const declared = [...tools.values()].map((tool) => declaredTool(tool, parts));
  return skills.size === 0 ? declared : [...declared, useSkill(skills, parts.folder)];
}
