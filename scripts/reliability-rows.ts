import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { LONG_RUNS, type RunResult } from "../test/faults/long-runs.ts";

export const resultFile = (name: string): string => resolve(import.meta.dirname, `../test/faults/results/${name}.json`);

/** Of the table of docs/reliability.md. A run without a result says so. */
export const reliabilityRows = (): readonly (readonly string[])[] =>
  Object.entries(LONG_RUNS).map(([name, { promise, injected }]) => [
    `\`${name}\``,
    promise,
    injected,
    ...resultCells(resultFile(name)),
  ]);

function resultCells(file: string): readonly [held: string, figures: string, when: string] {
  if (!existsSync(file)) return ["–", "not run yet", "–"];
  const { held, figures, seconds, finished_at, commit } = JSON.parse(readFileSync(file, "utf8")) as RunResult;
  return [
    held ? "yes" : "**no**",
    Object.entries(figures)
      .map(([what, value]) => `${what}: ${value}`)
      .join("; "),
    `${finished_at.slice(0, 10)}, \`${commit}\`, ${Math.round(seconds / 60)} min`,
  ];
}
