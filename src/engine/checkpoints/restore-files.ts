import { type FileHandle, lstat, mkdir, open, rename, rm, rmdir, unlink } from "node:fs/promises";
import type { RestoreAction } from "../../contract/engine/restore-outcomes.ts";
import { errorCode, hasCode } from "../../shared/error-code.ts";
import type { ChangeOrigin, FileState } from "../store/file-changes.ts";
import type { WorkspaceFolder } from "../tools/workspace-folder.ts";
import type { CapturedState, ChangeRecorder } from "./change-recorder.ts";
import { digestOf } from "./content-store.ts";
import { NO_FILE, stateOf } from "./file-stamp.ts";
import type { RestoreStep } from "./restore-plan.ts";
import { stateIn, withFolderOf } from "./workspace-files-now.ts";

/** Steps whose rows are committed together, before any of them. */
const AT_ONCE = 64;
const ORDER: readonly RestoreAction[] = ["remove", "remove_folder", "make_folder", "write"];

export interface FailedStep {
  readonly path: string;
  readonly reason: string;
}

export interface RestoreParts {
  readonly recorder: ChangeRecorder;
  readonly workspaceDir: string;
  /** Of the changes that the restore makes: a later rewind can undo them. */
  readonly origin: ChangeOrigin;
}

/** A step that failed for a reason that the caller is told. */
class StepFailed extends Error {
  override readonly name = "StepFailed";
}

/**
 * Restores files. Each step is a change like that of a tool: the content that it replaces is kept, and its row is
 * committed before. So a restore that was killed is repeated by planning again. Returns the steps that failed.
 */
export async function restoreFiles(steps: readonly RestoreStep[], parts: RestoreParts): Promise<readonly FailedStep[]> {
  const { contents } = parts.recorder;
  const digests = steps.flatMap(({ target }) =>
    target.kind === "file" && target.digest !== null ? [target.digest] : [],
  );
  const unpin = contents.pin(digests);
  const failed: FailedStep[] = [];
  try {
    const ordered = ORDER.flatMap((action) => inOrder(steps.filter((step) => step.action === action)));
    for (let at = 0; at < ordered.length; at += AT_ONCE)
      failed.push(...(await restoreTogether(ordered.slice(at, at + AT_ONCE), parts)));
    return failed;
  } finally {
    unpin();
  }
}

/** What is in a folder is removed before the folder, and the folder made before what is in it. */
const inOrder = (steps: readonly RestoreStep[]): readonly RestoreStep[] =>
  steps.toSorted((one, other) => {
    const down = one.path < other.path ? -1 : 1;
    return one.action === "remove_folder" ? -down : down;
  });

async function restoreTogether(steps: readonly RestoreStep[], parts: RestoreParts): Promise<readonly FailedStep[]> {
  const { recorder, origin } = parts;
  const failed: FailedStep[] = [];
  const captured: { readonly step: RestoreStep; readonly before: CapturedState }[] = [];
  const attempt = async (step: RestoreStep, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      failed.push({ path: step.path, reason: reasonOf(error) });
    }
  };
  for (const step of steps)
    await attempt(step, async () => {
      captured.push({ step, before: await capture(step, parts) });
    });
  if (captured.length === 0) return failed;
  const ids = recorder.record(
    origin,
    captured.map(({ step: { path, target }, before }) => ({ path, before: before.state, after: withoutStamp(target) })),
    captured.map(({ before }) => before.content),
  );
  for (const [at, { step, before }] of captured.entries())
    await attempt(step, async () => {
      const state = await perform(step, before.state, parts);
      recorder.changed(ids[at], { taskId: origin.taskId, path: step.path, state });
    });
  return failed;
}

/** The state that the step replaces. Fails when that is not what was planned for. */
async function capture({ path, current, action }: RestoreStep, parts: RestoreParts): Promise<CapturedState> {
  const { workspaceDir, recorder } = parts;
  try {
    return await withFolderOf(workspaceDir, path, async (folder, name) => {
      const now = await stateIn(folder, name);
      assertUnchanged(now, current);
      return await recorder.capture(folder, name, now.kind === "none" ? null : await lstat(folder.at(name)));
    });
  } catch (error) {
    if (!hasCode(error, "ENOENT") || (action !== "write" && action !== "make_folder")) throw error;
    return { state: NO_FILE, content: null };
  }
}

async function perform(
  { path, action, target }: RestoreStep,
  before: FileState,
  { workspaceDir, recorder }: RestoreParts,
): Promise<FileState> {
  const create = action === "write" || action === "make_folder";
  return withFolderOf(
    workspaceDir,
    path,
    async (folder, name) => {
      assertUnchanged(await stateIn(folder, name), before);
      if (action === "remove") await unlink(folder.at(name));
      if (action === "remove_folder") await removeIfEmpty(folder.at(name));
      if (action === "make_folder") await mkdir(folder.at(name));
      if (action !== "write") return target;
      if (target.kind !== "file" || target.digest === null) throw new Error("a step without a content");
      await writeContent(folder, name, { digest: target.digest, mode: target.mode, recorder });
      const now = stateOf(await lstat(folder.at(name)));
      return now.kind === "file" ? { ...target, stamp: now.stamp } : now;
    },
    { create },
  );
}

async function writeContent(
  folder: WorkspaceFolder,
  name: string,
  { digest, mode, recorder }: { readonly digest: string; readonly mode: number; readonly recorder: ChangeRecorder },
): Promise<void> {
  // Named for the file, so that a repeated restore replaces the draft of one that was killed.
  const draft = folder.at(`.orch-draft-restored-${digestOf(Buffer.from(name)).slice(0, 12)}`);
  try {
    await rm(draft, { force: true });
    const file = await open(draft, "wx", 0o600);
    await fill(file, { digest, mode, recorder });
    await rename(draft, folder.at(name));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function fill(
  file: FileHandle,
  { digest, mode, recorder }: { readonly digest: string; readonly mode: number; readonly recorder: ChangeRecorder },
): Promise<void> {
  await using open = file;
  if (!(await recorder.contents.copyTo(digest, open))) throw new StepFailed("its content is damaged in the store");
  await open.chmod(mode);
  await open.sync();
}

/** Others may have put files into it. */
async function removeIfEmpty(path: string): Promise<void> {
  try {
    await rmdir(path);
  } catch (error) {
    if (!hasCode(error, "ENOTEMPTY", "EEXIST", "ENOENT")) throw error;
  }
}

/** By their stamps: the content of a captured state is known, and that of the other is not. */
function assertUnchanged(now: FileState, planned: FileState): void {
  const stampIn = (state: FileState) => ("stamp" in state ? state.stamp : null);
  if (now.kind !== planned.kind || stampIn(now) !== stampIn(planned)) throw new StepFailed("it changed meanwhile");
}

const withoutStamp = (state: FileState): FileState => (state.kind === "file" ? { ...state, stamp: null } : state);

function reasonOf(error: unknown): string {
  if (error instanceof StepFailed) return error.message;
  const code = errorCode(error);
  if (code === "") throw error;
  return `it cannot be restored (${code})`;
}
