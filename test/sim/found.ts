import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** In how many seeds a bug that was put in showed. */
export interface Found {
  readonly name: string;
  readonly seeds: number;
  readonly failed: number;
  /** The first seed that showed it. */
  readonly first: number;
  /** The invariant that it broke there. */
  readonly shown: string;
}

/** What the last `npm run sim -- --mutations` has found. */
export const FOUND_FILE = join(import.meta.dirname, "found.json");

/** Of the table in README.md. */
export function foundRows(): readonly (readonly string[])[] {
  if (!existsSync(FOUND_FILE)) return [];
  const all = JSON.parse(readFileSync(FOUND_FILE, "utf8")) as readonly Found[];
  return all.map(({ name, seeds, failed, first, shown }) =>
    failed === 0 ? [name, `not in ${seeds}`, "", ""] : [name, (seeds / failed).toFixed(1), String(first), shown],
  );
}
