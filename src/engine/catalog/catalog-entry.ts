import * as z from "zod/mini";

/** An error or a warning, with the entry's path in the catalog folder. */
export interface EntryProblem {
  readonly path: string;
  readonly message: string;
}

/** The name rule of the Agent Skills specification, also for agents. */
export const entryName = z
  .string()
  .check(
    z.maxLength(64),
    z.regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, "expected lowercase letters, digits and single hyphens between them"),
  );

export const entryDescription = z.string().check(z.trim(), z.minLength(1), z.maxLength(1024));

/** Requires the file's name, which keeps names unique. */
export function requireSameName(name: unknown, fileName: string): void {
  if (name !== fileName) throw new BadEntry(`name: expected ${fileName} as in the file name, got ${String(name)}`);
}

/** A problem of one catalog entry, for its author. Other entries are not affected. */
export class BadEntry extends Error {
  override readonly name = "BadEntry";

  constructor(message: string, line: number | null = null) {
    super(line === null ? message : `line ${line}: ${message}`);
  }
}
