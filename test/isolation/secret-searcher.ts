import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const MASK = 0x55;
const PROGRAM = join(import.meta.dirname, "search-secrets.py");
const PYTHON = "/usr/bin/python3";

export interface Search {
  /** What the searcher knows, by name. */
  readonly values: Readonly<Record<string, string>>;
  /** Processes by pid, and what to call them. */
  readonly processes?: Readonly<Record<number, string>>;
  /** Also every other process that the kernel shows. */
  readonly all_processes?: boolean;
  readonly folders?: readonly string[];
}

export interface Searched {
  /** The places of each value that was found, by its name. */
  readonly found: Readonly<Record<string, readonly string[]>>;
  readonly read: {
    readonly memory: number;
    readonly files: number;
    readonly processes: number;
    /** Files, folders and processes that this user may not read. */
    readonly refused: number;
  };
}

/** Runs the searcher as a user of this machine, outside of any sandbox. */
export function searchAs({ uid, gid }: { readonly uid: number; readonly gid: number }, search: Search): Searched {
  const ran = spawnSync(PYTHON, ["-c", readFileSync(PROGRAM, "utf8")], {
    uid,
    gid,
    cwd: "/",
    env: {},
    input: JSON.stringify(masked(search)),
    encoding: "utf8",
    maxBuffer: 64 * 1024 ** 2,
    timeout: 240_000,
  });
  if (ran.status !== 0) throw new Error(`${ran.error?.message ?? ""}${ran.stderr}`);
  return JSON.parse(ran.stdout) as Searched;
}

/** The command that runs the searcher where a tool can. */
export function placeSearcher(folder: string, search: Search): string {
  copyFileSync(PROGRAM, join(folder, "search-secrets.py"));
  writeFileSync(join(folder, "search.json"), JSON.stringify(masked(search)));
  return `${PYTHON} search-secrets.py search.json`;
}

const masked = (search: Search) => ({
  ...search,
  values: Object.fromEntries(
    Object.entries(search.values).map(([name, value]) => [
      name,
      Buffer.from(Buffer.from(value).map((byte) => byte ^ MASK)).toString("hex"),
    ]),
  ),
});
