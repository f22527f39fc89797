import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const DATABASE = "engine.db";
/** Beside a database: that it is damaged, until another has taken its place. */
const MARK = `${DATABASE}.damaged`;
/** What else belongs to one. */
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

/** Null when there is no mark; one that cannot be read is a mark all the same. */
export function readMark(dataDir: string): Damage | null {
  const file = join(dataDir, MARK);
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Damage;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { at: Date.now(), reason: "it was marked as damaged" };
  }
}

export function removeMark(dataDir: string): void {
  rmSync(join(dataDir, MARK), { force: true });
}

/**
 * Gives a damaged database another name, its log with it, and says which. Whatever cut it off, it may be called again:
 * the database itself moves last, and is moved once.
 */
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
