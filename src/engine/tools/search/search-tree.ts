import type { Dirent } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { ToolFailed } from "../tool.ts";
import { readFrom } from "../workspace-files.ts";
import { WorkspaceFolder } from "../workspace-folder.ts";
import { type CallPath, targetOf } from "../workspace-path.ts";
import type { PatternThread } from "./pattern-thread.ts";
import { Deadline } from "../../../shared/deadline.ts";

const MAX_FILES = 20_000;
/** Leaves time to return the matches before the call's deadline. */
const MAX_MS = 45_000;
/** `.orch` holds spilled tool outputs. */
const SKIPPED_FOLDERS = new Set([".git", ".hg", ".svn", "node_modules", ".orch"]);

export interface Search extends CallPath {
  readonly glob: string | null;
  readonly context: number;
  readonly limit: number;
  readonly signal: AbortSignal;
}

export interface Found {
  readonly lines: readonly string[];
  readonly matches: number;
  readonly files: number;
  readonly skipped: number;
  /** Why the result is incomplete, or null. */
  readonly cut: string | null;
}

/**
 * Searches a folder of the workspace, or one file, without following links. ripgrep takes 0.5 s instead of 10 s for
 * 20,000 files, but reads another regex and glob dialect, and opens paths instead of checked folders.
 */
export async function searchTree(thread: PatternThread, search: Search): Promise<Found> {
  const target = await targetOf(search);
  const name = relative(await realpath(search.workspaceDir), target);
  const state = new Tally(search);
  const walk = new Walk(thread, state, search);
  try {
    if ((await lstat(target)).isDirectory()) {
      await walk.folder(await WorkspaceFolder.open(search.workspaceDir, target), name);
    } else {
      const folder = await WorkspaceFolder.open(search.workspaceDir, dirname(target));
      try {
        await walk.files(folder, dirname(name), [basename(target)]);
      } finally {
        await folder.close();
      }
    }
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error && "code" in error)) throw error;
    throw new ToolFailed(`${search.path} cannot be searched (${String(error.code)})`);
  }
  return state;
}

class Tally implements Found {
  readonly #limit: number;
  readonly #end = new Deadline(MAX_MS);
  readonly lines: string[] = [];
  matches = 0;
  files = 0;
  skipped = 0;

  constructor({ limit }: Search) {
    this.#limit = limit;
  }

  get left(): number {
    return this.#limit - this.matches;
  }

  get cut(): string | null {
    if (this.left <= 0) return `only the first ${this.#limit} matches are listed`;
    if (this.files + this.skipped >= MAX_FILES) return `only ${MAX_FILES} files were searched`;
    return this.#end.isOver ? "timed out before all files were searched" : null;
  }
}

class Walk {
  readonly #thread: PatternThread;
  readonly #tally: Tally;
  readonly #search: Search;

  constructor(thread: PatternThread, tally: Tally, search: Search) {
    this.#thread = thread;
    this.#tally = tally;
    this.#search = search;
  }

  /** Searches the files, then the subfolders; closes the folder. */
  async folder(folder: WorkspaceFolder, path: string): Promise<void> {
    try {
      const entries = await folder.entries();
      const names = (filter: (entry: Dirent) => boolean) => entries.filter(filter).map(({ name }) => name);
      await this.files(
        folder,
        path,
        names((entry) => entry.isFile()),
      );
      for (const name of names((entry) => entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name))) {
        if (this.#tally.cut !== null) return;
        this.#search.signal.throwIfAborted();
        // Skips a folder that was removed or is not readable.
        const inner = await folder.folder(name).catch(() => null);
        if (inner !== null) await this.folder(inner, join(path, name));
      }
    } finally {
      await folder.close();
    }
  }

  async files(folder: WorkspaceFolder, path: string, names: readonly string[]): Promise<void> {
    const { glob, context, signal } = this.#search;
    const paths = names.map((name) => join(path, name));
    const matching = glob === null || paths.length === 0 ? paths : await this.#thread.matchingPaths(paths, glob);
    for (const file of matching) {
      if (this.#tally.cut !== null) return;
      signal.throwIfAborted();
      const bytes = await bytesOf(folder, file);
      if (bytes === null || bytes.includes(0)) {
        this.#tally.skipped++;
        continue;
      }
      this.#tally.files++;
      const text = bytes.toString("utf8").replace(/\r?\n$/, "");
      const hits = text === "" ? [] : (await this.#thread.matchingLines(text, file)).slice(0, this.#tally.left);
      this.#tally.matches += hits.length;
      this.#tally.lines.push(...matchedLines(text, hits, { path: file, context }));
    }
  }
}

async function bytesOf(folder: WorkspaceFolder, file: string): Promise<Buffer | null> {
  try {
    return (await readFrom(folder, basename(file), file)).bytes;
  } catch (error) {
    if (error instanceof ToolFailed || (error instanceof Error && "syscall" in error)) return null;
    throw error;
  }
}

const MAX_LINE = 500;

/** The lines at `hits` with context, as grep prints them: `path:12: text`, context `path-11- text`. */
function matchedLines(
  text: string,
  hits: readonly number[],
  { path, context }: { readonly path: string; readonly context: number },
): readonly string[] {
  const lines = text.split(/\r?\n/);
  const marks = new Map<number, ":" | "-">();
  for (const hit of hits) {
    for (let at = Math.max(0, hit - context); at <= Math.min(lines.length - 1, hit + context); at++) {
      if (!marks.has(at)) marks.set(at, "-");
    }
  }
  for (const hit of hits) marks.set(hit, ":");
  let last: number | undefined;
  return [...marks].flatMap(([at, mark]) => {
    const line = `${path}${mark}${at + 1}${mark} ${truncated(lines[at] ?? "")}`;
    const gap = context > 0 && last !== undefined && at > last + 1;
    last = at;
    return gap ? ["--", line] : [line];
  });
}

const truncated = (line: string): string =>
  line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE).toWellFormed()}… [${line.length} characters]`;
