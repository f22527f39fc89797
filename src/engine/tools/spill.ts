import { lstat, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "../../shared/error-code.ts";
import { MAX_JSON_LEVELS, isFlatterThan, asText } from "../../shared/json-values.ts";
import type { Logger } from "../../shared/logger.ts";
import { type ToolContext, ToolFailed } from "./tool.ts";
import { writeInWorkspace } from "./workspace-files.ts";
import { WorkspaceFolder } from "./workspace-folder.ts";

/** In characters. */
export const MAX_OUTPUT = 50_000;
const SHOWN_END = 10_000;
/** Relative to the workspace. */
const OUTPUTS_FOLDER = ".orch/outputs";

const MAX_AGE_MS = 7 * 24 * 3600 * 1000;
const MAX_BYTES = 256 * 1024 * 1024;

interface OutputFile {
  readonly name: string;
  readonly bytes: number;
  readonly writtenAt: number;
}

/**
 * Spills output above 50,000 characters to a file of the workspace; the model sees head, tail and path. If one string
 * makes an object long, only that string is spilled. Without room the file is left out.
 */
export async function spillLongOutput(
  output: unknown,
  context: ToolContext,
  { hasRoom = true }: { readonly hasRoom?: boolean } = {},
): Promise<unknown> {
  if (!isFlatterThan(MAX_JSON_LEVELS, output))
    throw new ToolFailed(`the result is nested deeper than ${MAX_JSON_LEVELS} levels`);
  const text = asText(output);
  if (text.length <= MAX_OUTPUT) return output;
  const [name, longest] = longestText(output);
  if (text.length - longest.length > MAX_OUTPUT) return spill(text, context, hasRoom);
  return { ...(output as Readonly<Record<string, unknown>>), [name]: await spill(longest, context, hasRoom) };
}

async function spill(text: string, { workspaceDir, toolCallId }: ToolContext, hasRoom: boolean): Promise<string> {
  const path = `${OUTPUTS_FOLDER}/${toolCallId.replaceAll(/[^\w-]/g, "_").slice(-100)}.txt`;
  if (hasRoom) await writeInWorkspace({ workspaceDir, path }, text);
  const left = text.length - 2 * SHOWN_END;
  const ends = [text.slice(0, SHOWN_END), text.slice(-SHOWN_END)].map((end) => end.toWellFormed());
  const place = hasRoom ? `full text in ${path}` : "not kept: the disk quota is used up";
  return ends.join(`\n… [${left} more characters, ${place}] …\n`);
}

/** Empty for anything but an object with string values. */
function longestText(output: unknown): readonly [name: string, text: string] {
  if (typeof output !== "object" || output === null || Array.isArray(output)) return ["", ""];
  const texts = Object.entries(output).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return texts.toSorted(([, left], [, right]) => right.length - left.length)[0] ?? ["", ""];
}

/**
 * Deletes spilled outputs older than a week, and the oldest above 256 MiB in total. Keeps those written since the first
 * running turn started, which it may still read. Never rejects.
 */
export async function pruneOutputs({
  workspaceDir,
  runningSince,
  logger,
}: {
  readonly workspaceDir: string;
  /** Start times of the running turns. */
  readonly runningSince: readonly number[];
  readonly logger: Logger;
}): Promise<void> {
  try {
    const place = join(await realpath(workspaceDir), OUTPUTS_FOLDER);
    const folder = await WorkspaceFolder.open(workspaceDir, place);
    try {
      const now = Date.now();
      const pruned = outputsToPrune(await filesOf(folder), { now, keptFrom: Math.min(now, ...runningSince) });
      for (const { name } of pruned) await rm(folder.at(name), { force: true });
      if (pruned.length > 0) logger.debug({ pruned: pruned.length }, "pruned tool outputs");
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (!hasCode(error, "ENOENT")) logger.debug({ err: error }, "failed to prune tool outputs");
  }
}

/** The files to delete; all written at or after `keptFrom` are kept. */
export function outputsToPrune(
  files: readonly OutputFile[],
  { now, keptFrom }: { readonly now: number; readonly keptFrom: number },
): readonly OutputFile[] {
  let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const pruned: OutputFile[] = [];
  for (const file of files.toSorted((one, other) => one.writtenAt - other.writtenAt)) {
    if (file.writtenAt >= keptFrom || (file.writtenAt >= now - MAX_AGE_MS && bytes <= MAX_BYTES)) break;
    pruned.push(file);
    bytes -= file.bytes;
  }
  return pruned;
}

async function filesOf(folder: WorkspaceFolder): Promise<readonly OutputFile[]> {
  const files: OutputFile[] = [];
  for (const entry of await folder.entries()) {
    if (!entry.isFile()) continue;
    const { size, mtimeMs } = await lstat(folder.at(entry.name));
    files.push({ name: entry.name, bytes: size, writtenAt: mtimeMs });
  }
  return files;
}
