import type { Survived } from "../engine-backend.ts";
import { delay } from "../../../shared/clock.ts";
import { Deadline } from "../../../shared/deadline.ts";
import { isAlive } from "../../../sandbox/processes.ts";
import type { ProcessTree } from "./process-tree.ts";

/** How long a process may take to exit after SIGKILL before it counts as a survivor. */
const KILL_WAIT_MS = 5000;
const FIRST_POLL_MS = 2;
const LAST_POLL_MS = 50;

export type TreeEnd =
  | { readonly kind: "exited" | "killed" }
  | { readonly kind: "survived"; readonly pids: readonly number[] };

/** The stop outcome of a tree with processes that are left after SIGKILL. */
export const survivors = (pids: readonly number[]): Survived => ({
  kind: "survived",
  reason: `processes ${pids.join(", ")} survived SIGKILL`,
  data: { pids },
});

interface StopOptions {
  readonly termMs: number;
  readonly forceKill: AbortSignal;
}

/**
 * Stops a process tree: SIGTERM to the root, so that an engine can stop its children; SIGTERM to the remaining members;
 * SIGKILL to all members after `termMs` or when `forceKill` aborts. Each step scans the members again. Removes the cgroup.
 */
export async function stopTree(tree: ProcessTree, options: StopOptions): Promise<TreeEnd> {
  const outcome = await endTree(tree, options);
  if (outcome.kind === "survived") return outcome;
  // An exited process stays a member of its cgroup for a moment.
  await pollUntil(() => tree.removeCgroup(), { deadline: new Deadline(KILL_WAIT_MS) });
  return tree.removeCgroup() ? outcome : { kind: "survived", pids: tree.scan().map(({ pid }) => pid) };
}

async function endTree(tree: ProcessTree, { termMs, forceKill }: StopOptions): Promise<TreeEnd> {
  const deadline = new Deadline(termMs);
  const wait = { deadline, signal: forceKill };
  const members = tree.scan();
  if (members.length === 0) return { kind: "exited" };
  if (termMs > 0 && !forceKill.aborted) {
    const roots = members.filter(({ pid }) => pid === tree.root?.pid);
    tree.signal(roots, "SIGTERM");
    await pollUntil(() => !roots.some(isAlive), wait);
    const left = tree.scan();
    if (left.length === 0) return { kind: "exited" };
    tree.signal(
      left.filter(({ pid }) => pid !== tree.root?.pid),
      "SIGTERM",
    );
    await pollUntil(() => !tree.anyKnownAlive() && tree.scan().length === 0, wait);
  }
  return killTree(tree);
}

async function killTree(tree: ProcessTree): Promise<TreeEnd> {
  let left = tree.scan();
  if (left.length === 0) return { kind: "exited" };
  const deadline = new Deadline(KILL_WAIT_MS);
  while (left.length > 0 && !deadline.isOver) {
    tree.signal(left, "SIGKILL");
    // Short rounds, since the next scan finds processes that were forked meanwhile.
    await pollUntil(() => !tree.anyKnownAlive(), {
      deadline: new Deadline(Math.min(deadline.leftMs, 10 * LAST_POLL_MS)),
    });
    left = tree.scan();
  }
  return left.length === 0 ? { kind: "killed" } : { kind: "survived", pids: left.map(({ pid }) => pid) };
}

async function pollUntil(
  condition: () => boolean,
  { deadline, signal }: { readonly deadline: Deadline; readonly signal?: AbortSignal },
): Promise<void> {
  let waitMs = FIRST_POLL_MS;
  while (!condition()) {
    const leftMs = deadline.leftMs;
    if (leftMs <= 0 || !(await delay(Math.min(waitMs, leftMs), signal))) return;
    waitMs = Math.min(waitMs * 1.3, LAST_POLL_MS);
  }
}
