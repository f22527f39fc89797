import * as z from "zod/mini";
import { BadEntry } from "./bad-entry.ts";

/** As the Agent Skills specification has it, for agents too. */
export const entryName = z
  .string()
  .check(
    z.maxLength(64),
    z.regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, "expected small letters, digits and single hyphens between them"),
  );

export const entryDescription = z.string().check(z.trim(), z.minLength(1), z.maxLength(1024));

/** A name that differs from its file's would make two entries of one name possible. */
export function requireSameName(name: unknown, fileName: string): void {
  if (name !== fileName) throw new BadEntry(`name: expected ${fileName}, as its file is named, got ${String(name)}`);
}
