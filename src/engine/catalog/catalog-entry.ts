import * as z from "zod/mini";

/** An error or a warning, with the entry's path in the catalog folder. */
export interface EntryProblem {
  readonly path: string;
  readonly message: string;
  /** Left out if it concerns the whole entry. */
  readonly line?: number;
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

interface EntryFault {
  readonly message: string;
  /** Null if it concerns the whole entry. */
  readonly line: number | null;
}

/** The problems of one catalog entry, for its author. Other entries are not affected. */
export class BadEntry extends Error {
  override readonly name = "BadEntry";
  readonly faults: readonly EntryFault[];

  constructor(fault: string | readonly EntryFault[], line: number | null = null) {
    const faults = typeof fault === "string" ? [{ message: fault, line }] : fault;
    super(faults.map(describeFault)[0]);
    this.faults = faults;
  }

  /** At the path of the entry, by line. */
  problems(path: string): readonly EntryProblem[] {
    const sorted = this.faults.toSorted((left, right) => (left.line ?? 0) - (right.line ?? 0));
    return sorted.map((fault) => ({
      path,
      message: describeFault(fault),
      ...(fault.line !== null && { line: fault.line }),
    }));
  }
}

const describeFault = ({ message, line }: EntryFault): string => (line === null ? message : `line ${line}: ${message}`);

/** Makes every check. Throws one {@link BadEntry} with the faults of all of them. */
export function checkAll(...checks: readonly (() => void)[]): void {
  const faults: EntryFault[] = [];
  for (const check of checks) {
    try {
      check();
    } catch (error) {
      if (!(error instanceof BadEntry)) throw error;
      faults.push(...error.faults);
    }
  }
  if (faults.length > 0) throw new BadEntry(faults);
}
