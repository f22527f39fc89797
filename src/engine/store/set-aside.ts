import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const DATABASE = "engine.db";
/** Marks a database as damaged until it is replaced. */
const MARK = `${DATABASE}.damaged`;
/** Suffixes of the files of one database. The database itself moves last. */
const PARTS = ["-wal", "-shm", ""] as const;

export interface Damage {
  readonly at: number;
  readonly reason: string;
}

export function markDamaged(dataDir: string, damage: Damage): void {
  const file = join(dataDir, MARK);
  writeFileSync(`${file}~`, JSON.stringify(damage));
  renameSync(`${file}~`, file);
}

/** Null when there is no mark. An unreadable mark counts. */
export function readMark(dataDir: string): Damage | null {
  const file = join(dataDir, MARK);
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Damage;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { at: Date.now(), reason: "marked as damaged" };
  }
}

export function removeMark(dataDir: string): void {
  rmSync(join(dataDir, MARK), { force: true });
}

/** Renames a damaged database and its WAL, and returns the new name. Safe to repeat after an interruption. */
export function setAside(dataDir: string, { at }: Damage): string {
  const stamp = new Date(at).toISOString().replaceAll(/[-:.]/g, "");
  const name = `${DATABASE}.corrupt-${stamp}`;
  if (existsSync(join(dataDir, name))) return name;
  for (const part of PARTS) {
    const from = join(dataDir, DATABASE + part);
    if (existsSync(from)) renameSync(from, join(dataDir, name + part));
  }
  return name;
}
