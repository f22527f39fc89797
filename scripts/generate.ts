import { readFile, writeFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { clientEventTypes, clientRecords } from "./client-records.ts";
import { clientMethods } from "./client-methods.ts";
import { clientRoutes } from "./client-routes.ts";
import type { DocumentTable } from "./document-tables.ts";
import { envExample } from "./env-example.ts";
import { migrationLists } from "./migration-lists.ts";
import { pythonClient } from "./python-client.ts";

/** Whole files, by their paths. */
const FILES = {
  "systemd/orchd.env.example": envExample(),
  "src/client/event-types.ts": clientEventTypes(),
  "src/client/records.ts": clientRecords(),
  ...clientRoutes(),
  ...clientMethods(),
  ...migrationLists(),
  ...pythonClient(),
};

/** Writes the parts of files that follow from the code. With `--check` it only names the files that are not current. */
const isCheck = process.argv.includes("--check");
const files = await writeFiles();
// The tables come from the code of `orchctl` too, which imports written files.
const { DOCUMENT_TABLES } = await import("./document-tables.ts");
const stale = [...files, ...(await writeTables())];
if (isCheck && stale.length > 0) {
  process.stderr.write(
    `not current: ${stale.join(", ")}\nThey follow from the code. Write them by: npm run generate\n`,
  );
  process.exitCode = 1;
}

/** The files whose tables were not current. */
async function writeTables(): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const [file, tables] of Map.groupBy(DOCUMENT_TABLES, (table) => table.file)) {
    const path = resolve(import.meta.dirname, "..", file);
    const text = await readFile(path, "utf8");
    const current = tables.reduce(withTable, text);
    if (current === text) continue;
    changed.push(file);
    if (!isCheck) await writeFile(path, current);
  }
  return changed;
}

async function writeFiles(): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const [file, current] of Object.entries(FILES)) {
    const path = resolve(import.meta.dirname, "..", file);
    if ((await readFile(path, "utf8").catch(() => "")) === current) continue;
    changed.push(file);
    if (!isCheck) await writeFile(path, current);
  }
  return changed;
}

/** Replaces the table after the marker. */
function withTable(text: string, { file, marker, head, rows }: DocumentTable): string {
  const comment = `<!-- ${marker} -->\n\n`;
  const start = text.indexOf(comment) + comment.length;
  if (start < comment.length) throw new Error(`${file} has no marker "${marker}" with an empty line after it`);
  const [old = ""] = /^(?:\|.*\n)*/.exec(text.slice(start)) ?? [];
  const escape = (cell: string) => cell.replaceAll("|", "\\|");
  const lines = [head, head.map(() => "---"), ...rows].map((cells) =>
    `| ${cells.map(escape).join(" | ")} |\n`.replaceAll(/\| {2}(?=\|)/g, "| "),
  );
  const table = lines.join("").replaceAll(`](${basename(file)}#`, "](#");
  return text.slice(0, start) + table + text.slice(start + old.length);
}
