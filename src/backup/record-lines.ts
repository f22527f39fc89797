import { InvalidBackup } from "./invalid-backup.ts";

/** Rows of a table in the section `records`: one file per batch, in the order of the table. */
export const recordFile = (table: string, number: number): string =>
  `${table}/${String(number).padStart(6, "0")}.jsonl`;

const MAX_BATCH_BYTES = 256 * 1024 * 1024;

/** The table of a record file, or null for a folder. Throws {@link InvalidBackup} for anything else. */
export function tableOf(
  { path, type, size }: { readonly path: string; readonly type: string; readonly size: number },
  tables: readonly string[],
): string | null {
  const [table = "", file] = path.split("/");
  const isKnown = tables.includes(table);
  if (isKnown && type === "directory" && file === undefined) return null;
  if (
    isKnown &&
    type === "file" &&
    path === recordFile(table, Number.parseInt(file ?? "", 10)) &&
    size <= MAX_BATCH_BYTES
  )
    return table;
  throw new InvalidBackup(`member ${JSON.stringify(`records/${path}`)}: expected rows of one of ${tables.join(", ")}`);
}

/** The lines of a batch, each a JSON object. */
export function recordLines(path: string, text: string): readonly string[] {
  const lines = text.split("\n").slice(0, -1);
  const wrong = lines.findIndex((line) => !isObject(line));
  if (wrong !== -1 || !text.endsWith("\n"))
    throw new InvalidBackup(
      `member "records/${path}": expected an object of JSON in line ${wrong + 1 || lines.length + 1}`,
    );
  return lines;
}

function isObject(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
