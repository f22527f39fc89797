import type { Uncompared } from "../../contract/engine/restore-outcomes.ts";
import type { ChangeOrigin, FileChange, FileChangeTable, FileState } from "../store/file-changes.ts";
import type { Store } from "../store/open-store.ts";
import type { ChangeRecorder } from "./change-recorder.ts";
import { isSameState } from "./file-stamp.ts";
import { type PathDifference, differenceOf } from "./listing-difference.ts";
import { LISTING_BOUNDS, type ListingBounds, type WorkspaceListing, listWorkspace } from "./workspace-listing.ts";

/** Of one call. */
const MAX_DIFFERENCES = 5000;
/** A workspace that was too large is not listed again for so long. */
const TOO_LARGE_FOR_MS = 60_000;

interface Comparison {
  readonly origin: ChangeOrigin;
  /** What other calls made of a path meanwhile, and stored. */
  readonly stored: Map<string, { readonly state: FileState; readonly isOwn: boolean }>;
  /** A call of another task ran meanwhile, so that nobody knows which of them changed a file. */
  overlaps: boolean;
}

export interface ComparisonParts {
  readonly store: Store;
  readonly changes: FileChangeTable;
  readonly recorder: ChangeRecorder;
  readonly workspaceDir: string;
  readonly bounds?: ListingBounds;
}

/** Finds what calls change by comparing listings of the workspace before and after them. */
export class CallComparisons {
  readonly #parts: ComparisonParts;
  readonly #open = new Set<Comparison>();
  readonly #running = new Set<Promise<unknown>>();
  /** Changes of others that are on their way, and may be in a listing before they are noted. */
  readonly #others = new Set<Promise<unknown>>();
  #tooLargeUntil = 0;

  constructor(parts: ComparisonParts) {
    this.#parts = parts;
    parts.changes.interrupted();
  }

  /** Runs a call, and stores what it changed when it has ended, however it ends. `onChanged` gets that. */
  compare<T>(
    origin: ChangeOrigin,
    run: () => Promise<T>,
    onChanged: (changes: readonly FileChange[]) => void = () => undefined,
  ): Promise<T> {
    const running = this.#compare(origin, run, onChanged).finally(() => this.#running.delete(running));
    this.#running.add(running);
    return running;
  }

  /** Something else changes files: comparisons that have listed them wait until it is noted what that was. */
  awaiting<T>(change: Promise<T>): Promise<T> {
    const noted = change.finally(() => this.#others.delete(noted));
    this.#others.add(noted);
    return noted;
  }

  /** Something else changed files: nobody knows which of the changes are of the calls that run. */
  overlap(): void {
    for (const one of this.#open) one.overlaps = true;
  }

  /** Waits until what calls have changed is stored. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  async #compare<T>(
    origin: ChangeOrigin,
    run: () => Promise<T>,
    onChanged: (changes: readonly FileChange[]) => void,
  ): Promise<T> {
    const { store, changes, recorder } = this.#parts;
    // Durable: after a power failure too it is known that this call may have changed files.
    const id = store.transaction(() => changes.comparing(origin), { durable: true });
    const comparison = this.#enter(origin);
    const stopListening = recorder.listen((change) => this.#note(comparison, change));
    try {
      const before = await this.#list();
      try {
        return await run();
      } finally {
        const after = before.kind === "listed" ? await this.#list() : before;
        await Promise.allSettled(this.#others);
        onChanged(this.#finish(id, comparison, { before, after }));
      }
    } finally {
      stopListening();
      this.#open.delete(comparison);
    }
  }

  #enter(origin: ChangeOrigin): Comparison {
    const others = [...this.#open].filter((one) => one.origin.taskId !== origin.taskId);
    for (const other of others) other.overlaps = true;
    const comparison = { origin, stored: new Map(), overlaps: others.length > 0 };
    this.#open.add(comparison);
    return comparison;
  }

  #note({ origin, stored }: Comparison, { taskId, path, state }: Noted): void {
    stored.set(path, { state, isOwn: taskId === origin.taskId });
  }

  async #list(): Promise<WorkspaceListing> {
    if (performance.now() < this.#tooLargeUntil) return { kind: "incomplete", reason: "too_large" };
    const { workspaceDir, bounds = LISTING_BOUNDS } = this.#parts;
    const listing = await listWorkspace(workspaceDir, bounds);
    if (listing.kind === "incomplete" && listing.reason === "too_large")
      this.#tooLargeUntil = performance.now() + TOO_LARGE_FOR_MS;
    return listing;
  }

  #finish(
    id: number,
    comparison: Comparison,
    { before, after }: { readonly before: WorkspaceListing; readonly after: WorkspaceListing },
  ): readonly FileChange[] {
    if (before.kind === "incomplete") return this.#leaveIncomplete(id, before.reason);
    if (after.kind === "incomplete") return this.#leaveIncomplete(id, after.reason);
    const differences = differenceOf(before.entries, after.entries, MAX_DIFFERENCES);
    if (differences === null) return this.#leaveIncomplete(id, "too_many");
    const { origin } = comparison;
    const made = differences.flatMap((difference) => this.#changeOf(difference, comparison) ?? []);
    this.#parts.store.transaction(() => {
      for (const change of made) this.#parts.changes.add(origin, change);
      this.#parts.changes.compared(id);
    });
    // Those of other tasks overlap: nobody knows whose changes these are.
    for (const other of this.#open)
      if (other !== comparison && other.origin.taskId === origin.taskId)
        for (const { path, after: state } of made) this.#note(other, { taskId: origin.taskId, path, state });
    return made;
  }

  /** Null for what another call made and stored. */
  #changeOf({ path, before, after }: PathDifference, { stored, overlaps }: Comparison): FileChange | null {
    const meanwhile = stored.get(path);
    if (meanwhile === undefined) return { path, before: this.#withDigest(path, before), after, overlaps };
    if (isSameState(meanwhile.state, after)) return null;
    return { path, before: meanwhile.state, after, overlaps: overlaps || !meanwhile.isOwn };
  }

  /** Contents of files that a file tool wrote are known. */
  #withDigest(path: string, state: FileState): FileState {
    if (state.kind !== "file") return state;
    const last = this.#parts.changes.lastState(path);
    return last?.kind === "file" && last.stamp === state.stamp ? last : state;
  }

  #leaveIncomplete(id: number, reason: Uncompared): readonly FileChange[] {
    this.#parts.store.transaction(() => this.#parts.changes.leftIncomplete(id, reason));
    return [];
  }
}

type Noted = Parameters<Parameters<ChangeRecorder["listen"]>[0]>[0];
