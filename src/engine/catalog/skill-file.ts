import * as z from "zod/mini";
import { entryDescription, entryName, requireSameName } from "./entry-name.ts";
import { readFrontMatter } from "./front-matter.ts";

/** A skill by the Agent Skills specification: its name and description are always known, the rest is read when used. */
export interface SkillDefinition {
  readonly name: string;
  readonly description: string;
  /** The instructions of one that ships with the engine; null for one that lies in the catalog's folder. */
  readonly shipped: string | null;
}

const skillFields = z.object({
  name: entryName,
  description: entryDescription,
  license: z.optional(z.string()),
  compatibility: z.optional(z.string().check(z.maxLength(500))),
  metadata: z.optional(z.record(z.string(), z.unknown())),
  /** Taken, without effect: what a call needs leave for is for the engine and the catalog's agents to say. */
  "allowed-tools": z.optional(z.union([z.string(), z.array(z.string())])),
  disabled: z.optional(z.boolean()),
});

export interface ParsedSkill {
  /** Null for one that is switched off. */
  readonly skill: Pick<SkillDefinition, "name" | "description"> | null;
  /** Fields of other programs, which skills are often written for too. */
  readonly ignored: readonly string[];
}

/** Rejects with `BadEntry`. */
export async function parseSkill(folderName: string, text: string): Promise<ParsedSkill> {
  const read = await readFrontMatter(skillFields, text);
  const { ignored } = read;
  requireSameName(read.kind === "off" ? (read.name ?? folderName) : read.fields.name, folderName);
  if (read.kind === "off") return { skill: null, ignored };
  const { name, description } = read.fields;
  return { skill: { name, description }, ignored };
}
