import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MUTATIONS } from "./mutations.ts";

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

/** What `npm run sim -- --mutations` has found last. */
const FOUND_FILE = join(import.meta.dirname, "found.json");

function readFound(): readonly Found[] {
  return existsSync(FOUND_FILE) ? (JSON.parse(readFileSync(FOUND_FILE, "utf8")) as readonly Found[]) : [];
}

/** In the order of the bugs. Those that are no longer put in are forgotten. */
export function keepFound(found: Found): void {
  const known = new Map([...readFound(), found].map((one) => [one.name, one]));
  const kept = MUTATIONS.flatMap(({ name }) => known.get(name) ?? []);
  writeFileSync(FOUND_FILE, `${JSON.stringify(kept, null, 2)}\n`);
}

/** Of the table in README.md. */
export const foundRows = (): readonly (readonly string[])[] =>
  readFound().map(({ name, seeds, failed, first, shown }) =>
    failed === 0 ? [name, `not in ${seeds}`, "", ""] : [name, (seeds / failed).toFixed(1), String(first), shown],
  );
