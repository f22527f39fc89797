/** What is wrong with one entry of the catalog, in words for whoever wrote it. Nothing else of the catalog is touched by it. */
export class BadEntry extends Error {
  override readonly name = "BadEntry";

  constructor(message: string, line: number | null = null) {
    super(line === null ? message : `line ${line}: ${message}`);
  }
}

/** A fault or a remark, by the entry's path in the catalog's folder. */
export interface EntryProblem {
  readonly path: string;
  readonly message: string;
}
