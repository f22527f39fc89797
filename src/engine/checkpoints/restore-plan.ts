import type { RestoreAction, Unrestorable } from "../../contract/engine/restore-outcomes.ts";
import type { FileChangeRow, FileState } from "../store/file-changes.ts";
import { isSameState } from "./file-stamp.ts";

export interface RestoreStep {
  readonly path: string;
  readonly action: RestoreAction;
  readonly target: FileState;
  /** What was there when it was planned. */
  readonly current: FileState;
}

/** What a restore would do; each path is in one list. */
export interface RestorePlan {
  readonly restorable: readonly RestoreStep[];
  readonly notCaptured: readonly { readonly path: string; readonly reason: Unrestorable }[];
  /** Something else changed them too, and its change would be lost. */
  readonly changedByOthers: readonly RestoreStep[];
}

export interface PlanFacts {
  /** What is there now. The digest of a file is read where a decision needs it. */
  current(path: string): Promise<FileState>;
  digestOf(path: string): Promise<string | null>;
  hasContent(digest: string): boolean;
}

/** Plans to undo changes, which are in order: of each path, the state before the first of them. */
export async function planRestore(changes: readonly FileChangeRow[], facts: PlanFacts): Promise<RestorePlan> {
  const plan = { restorable: [] as RestoreStep[], notCaptured: [] as RestorePlan["notCaptured"][number][] };
  const changedByOthers: RestoreStep[] = [];
  for (const [path, rows] of Map.groupBy(changes, (change) => change.path)) {
    const target = rows[0]?.before;
    if (target === undefined) continue;
    const current = await facts.current(path);
    const known = await withDigest(current, { path, states: [target, ...statesOf(rows.at(-1))], facts });
    if (isSameState(known, target)) continue;
    const verdict = verdictOf(target, known, facts);
    if (verdict.kind === "nothing") continue;
    if (verdict.kind === "not_captured") plan.notCaptured.push({ path, reason: verdict.reason });
    else {
      const step = { path, action: verdict.action, target, current: known };
      (isOwn(rows, known) ? plan.restorable : changedByOthers).push(step);
    }
  }
  return { ...plan, changedByOthers };
}

type Verdict =
  | { readonly kind: "restore"; readonly action: RestoreAction }
  | { readonly kind: "not_captured"; readonly reason: Unrestorable }
  | { readonly kind: "nothing" };

function verdictOf(target: FileState, current: FileState, facts: PlanFacts): Verdict {
  switch (target.kind) {
    case "none":
      return { kind: "restore", action: current.kind === "folder" ? "remove_folder" : "remove" };
    case "folder":
      return current.kind === "none"
        ? { kind: "restore", action: "make_folder" }
        : { kind: "not_captured", reason: "not_a_file" };
    case "file":
      if (current.kind === "folder") return { kind: "not_captured", reason: "not_a_file" };
      if (target.digest === null) return { kind: "not_captured", reason: target.reason ?? "by_command" };
      return facts.hasContent(target.digest)
        ? { kind: "restore", action: "write" }
        : { kind: "not_captured", reason: "removed_from_store" };
    case "other":
      return { kind: "not_captured", reason: "not_a_file" };
    default:
      return target satisfies never;
  }
}

/**
 * Whether each change found what the one before it made, and is what is there now. A change may also not have happened,
 * because the engine was killed before it.
 */
function isOwn(rows: readonly FileChangeRow[], current: FileState): boolean {
  const found = [...rows.slice(1).map(({ before }) => before), current];
  return rows.every(
    ({ before, after, overlaps }, at) =>
      !overlaps && [after, before].some((state) => isSameState(state, found[at] ?? current)),
  );
}

/** The state with its digest, when only that can tell whether it is one of these. */
async function withDigest(
  current: FileState,
  { path, states, facts }: { readonly path: string; readonly states: readonly FileState[]; readonly facts: PlanFacts },
): Promise<FileState> {
  if (current.kind !== "file") return current;
  const files = states.filter((state) => state.kind === "file");
  const same = files.find((state) => state.stamp !== null && state.stamp === current.stamp);
  if (same !== undefined) return same;
  if (files.every(({ digest }) => digest === null)) return current;
  return { ...current, digest: await facts.digestOf(path) };
}

const statesOf = (row: FileChangeRow | undefined): readonly FileState[] =>
  row === undefined ? [] : [row.before, row.after];
