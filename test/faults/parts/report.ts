import { writeFileSync } from "node:fs";
import type { Test } from "tap";

/** What happened in a run and how often, by what it is called. */
export type Figures = Readonly<Record<string, number | string>>;

const all: Record<string, number | string> = {};

/** Prints figures of a run. `npm run reliability` finds those of the whole file where ORCHD_REPORT says. */
export function report(t: Test, figures: Figures): void {
  const words = Object.entries(figures).map(([what, value]) => `${what}: ${value}`);
  t.comment(words.join(", "));
  Object.assign(all, figures);
  const file = process.env["ORCHD_REPORT"];
  if (file !== undefined) writeFileSync(file, JSON.stringify(all));
}
