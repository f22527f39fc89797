import * as z from "zod/mini";
import { entryDescription, entryName, requireSameName } from "./catalog-entry.ts";
import { readFrontMatter } from "./front-matter.ts";

/** A skill of the Agent Skills specification; its body is read when used. */
export interface SkillDefinition {
  readonly name: string;
  readonly description: string;
  /** The body of a shipped skill; null for one in the catalog folder. */
  readonly shipped: string | null;
}

const skillFields = z.object({
  name: entryName,
  description: entryDescription,
  license: z.optional(z.string()),
  compatibility: z.optional(z.string().check(z.maxLength(500))),
  metadata: z.optional(z.record(z.string(), z.unknown())),
  /** Accepted without effect: permissions come from the engine and the agent files. */
  "allowed-tools": z.optional(z.union([z.string(), z.array(z.string())])),
  disabled: z.optional(z.boolean()),
});

export interface ParsedSkill {
  /** Null if disabled. */
  readonly skill: Pick<SkillDefinition, "name" | "description"> | null;
  /** Unknown fields, such as those of other programs. */
  readonly ignored: readonly string[];
}

/** Rejects with `BadEntry`. */
export async function parseSkill(folderName: string, text: string): Promise<ParsedSkill> {
  const read = await readFrontMatter(skillFields, text);
  const { ignored } = read;
  requireSameName(read.kind === "disabled" ? (read.name ?? folderName) : read.fields.name, folderName);
  if (read.kind === "disabled") return { skill: null, ignored };
  const { name, description } = read.fields;
  return { skill: { name, description }, ignored };
}
