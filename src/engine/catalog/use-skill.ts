import { join } from "node:path";
import * as z from "zod/mini";
import { toolInput } from "../tools/tool-input.ts";
import { type Tool, ToolFailed } from "../tools/tool.ts";
import { BadEntry } from "./catalog-entry.ts";
import { CatalogFolder } from "./catalog-folder.ts";
import { type FromFolder, USE_SKILL } from "./catalog.ts";
import { MAX_SKILL_BYTES } from "./read-layer.ts";
import type { SkillDefinition } from "./skill-file.ts";

const MAX_LISTED = 200;
const MAX_DEPTH = 5;
const MAIN = "SKILL.md";

const input = toolInput(
  z.object({
    name: z.string().check(z.describe("Name of the skill")),
    file: z.optional(z.string().check(z.minLength(1), z.describe("Another file of the skill; default: SKILL.md"))),
  }),
);

/** Reads skills from disk at each use. */
export function useSkill(
  skills: ReadonlyMap<string, FromFolder<SkillDefinition>>,
): Tool<{ name: string; file?: string }> {
  return {
    name: USE_SKILL,
    description:
      "Reads a skill: instructions for one kind of work. If a listed skill covers your work, read it first and follow it. Give file to read another file of the skill.",
    input,
    readOnly: true,
    permission: "allow",
    returns: "own",
    bookkeeping: true,
    resources: () => [],
    async run({ name, file = MAIN }) {
      const skill = skills.get(name);
      if (skill === undefined)
        throw new ToolFailed(`unknown skill ${name}; expected one of: ${[...skills.keys()].join(", ")}`);
      try {
        return await read(skill, file);
      } catch (error) {
        if (error instanceof BadEntry) throw new ToolFailed(`${file} of the skill ${name}: ${error.message}`);
        throw error;
      }
    },
  };
}

async function read({ name, shipped, folder: catalog }: FromFolder<SkillDefinition>, file: string): Promise<unknown> {
  if (catalog === null) {
    if (file !== MAIN) throw new BadEntry("the file does not exist");
    return { file, content: shipped };
  }
  if (file.includes("\0")) throw new BadEntry("the file does not exist");
  const place = join(catalog, "skills", name);
  const folder = await CatalogFolder.open(place);
  const content = (await folder?.text(file, MAX_SKILL_BYTES)) ?? null;
  if (folder === null || content === null) throw new BadEntry("the file does not exist");
  if (file !== MAIN) return { file, content };
  const files = await listFiles(folder, ".");
  return { file, content, ...(files.length > 0 && { folder: place, files: files.slice(0, MAX_LISTED) }) };
}

/** The files of a skill, whose scripts `run_command` may run from its folder. */
async function listFiles(folder: CatalogFolder, path: string, depth = 1): Promise<string[]> {
  const found: string[] = [];
  for (const { name, isFolder } of await folder.names(path)) {
    const inner = join(path, name);
    const descend = isFolder && depth < MAX_DEPTH && (await isInside(folder, inner));
    found.push(...(descend ? await listFiles(folder, inner, depth + 1) : [inner]));
    if (found.length > MAX_LISTED) break;
  }
  return found.filter((file) => file !== MAIN);
}

async function isInside(folder: CatalogFolder, path: string): Promise<boolean> {
  try {
    return (await folder.realPath(path)) !== null;
  } catch (error) {
    if (error instanceof BadEntry) return false;
    throw error;
  }
}
