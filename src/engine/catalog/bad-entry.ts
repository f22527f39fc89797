/** A problem of one catalog entry, for its author. Other entries are not affected. */
export class BadEntry extends Error {
  override readonly name = "BadEntry";

  constructor(message: string, line: number | null = null) {
    super(line === null ? message : `line ${line}: ${message}`);
  }
}

/** An error or a warning, with the entry's path in the catalog folder. */
export interface EntryProblem {
  readonly path: string;
  readonly message: string;
}
