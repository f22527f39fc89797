import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { LONG_TESTS } from "./long-tests.ts";

export interface TestSelection {
  readonly files: readonly string[];
  /** Why the others are not among them, and how they are run. */
  readonly skipped: string;
}

const root = resolve(import.meta.dirname, "..");

/** `npm test`: all but those that take long. */
export function shortTests(all: readonly string[]): TestSelection {
  const files = all.filter((file) => !LONG_TESTS.has(file));
  return { files, skipped: skippedText(all, files, "npm run test:all runs them too") };
}

/** The rest after {@link shortTests}. */
export const longTests = (all: readonly string[]): TestSelection => ({
  files: all.filter((file) => LONG_TESTS.has(file)),
  skipped: "",
});

/**
 * The tests that import a changed file, directly or not. A test that starts a built program imports little of what it
 * runs: after a change of the programs all short tests with a program are added. Tests that read the sources are always
 * among them.
 */
export function changedTests(all: readonly string[], changed: readonly string[]): TestSelection {
  const isProgramChanged = changed.some((file) => /^(?:src|cli|bin|migrations|console)\//.test(file));
  const files = all.filter((file) => {
    if (READERS.test(file)) return changed.length > 0;
    const reached = closureOf(file);
    const startsProgram = [...reached].some((one) => PROGRAM_STARTERS.has(one));
    return changed.some((one) => reached.has(one)) || (isProgramChanged && startsProgram && !LONG_TESTS.has(file));
  });
  return { files, skipped: skippedText(all, files, "the change does not reach them, or npm run test:all runs them") };
}

const READERS = /^test\/(?:architecture\.test|documents\/)/;

/** Helpers that start a daemon, an engine or a command line that were built. */
const PROGRAM_STARTERS = new Set(["daemon", "engine", "orchctl"].map((name) => `test/helpers/${name}.ts`));

const closures = new Map<string, ReadonlySet<string>>();

/** A file with all that it imports, directly or not. Paths in the repository. */
function closureOf(file: string): ReadonlySet<string> {
  const known = closures.get(file);
  if (known !== undefined) return known;
  const reached = new Set<string>();
  const open = [file];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    open.push(...importsOf(next));
  }
  closures.set(file, reached);
  return reached;
}

function importsOf(file: string): readonly string[] {
  const text = read(join(root, file));
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+\.tsx?)"/g)].map(([, target = ""]) =>
    relative(root, resolve(root, dirname(file), target)),
  );
}

/** Empty for a file that is made by the build. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function skippedText(all: readonly string[], files: readonly string[], why: string): string {
  const left = all.filter((file) => !files.includes(file));
  const byFolder = Map.groupBy(left, (file) => file.split("/").slice(0, 2).join("/"));
  const folders = [...byFolder].map(([folder, some]) => `${folder} ${some.length}`);
  return left.length === 0
    ? ""
    : `# ${left.length} of ${all.length} test files are not run (${folders.join(", ")}): ${why}\n`;
}
