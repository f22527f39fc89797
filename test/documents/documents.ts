import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** The text of a document, by its path in the repository. */
export const documentText = (path: string): string => readFileSync(join(root, path), "utf8");

/** Every document for users and contributors. */
export const DOCUMENTS: readonly string[] = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "SECURITY.md",
  "examples/README.md",
  ...readdirSync(join(root, "docs")).flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : [])),
];

/** The rows of the table after `<!-- marker -->`, as cells. */
export function tableRows(path: string, marker: string): readonly (readonly string[])[] {
  const [, rest] = documentText(path).split(`<!-- ${marker} -->`);
  if (rest === undefined) throw new Error(`${path} has no marker ${marker}`);
  const lines = rest.split("\n").slice(1);
  const start = lines.findIndex((line) => line.startsWith("|"));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith("|"));
  return lines.slice(start + 2, end === -1 ? undefined : end).map(cellsOf);
}

/** `\|` is a character of a cell. */
const cellsOf = (line: string): readonly string[] =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

/** Of an assertion that compares a table with the code: what a failure asks for. */
export const tableIs = (path: string, marker: string, source: string): string =>
  `the table "${marker}" of ${path} (actual) has the rows of ${source} (expected)`;

export const withoutBackticks = (cell = ""): string => cell.replaceAll("`", "");

/** What stands in backticks in a cell. */
export const codesOf = (cell = ""): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

/** The first column of a table, each name in backticks by itself. */
export const namesIn = (path: string, marker: string): readonly string[] =>
  tableRows(path, marker).flatMap(([cell]) => codesOf(cell));
