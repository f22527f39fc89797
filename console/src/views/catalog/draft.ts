import type { CatalogFault, ProductRecord } from "@orchd/client";
import { signal } from "@preact/signals";
import { type ArchivedFile, textFile } from "./archive.ts";

/** Changes to the files of a version that are not pushed. They outlive the view, not the page. */
export interface Draft {
  /** The version that they began with. */
  readonly version: number;
  /** Null removes a file. */
  readonly changes: ReadonlyMap<string, ArchivedFile | null>;
  /** What the loader found, of the files as they were checked. */
  readonly faults: readonly CatalogFault[];
}

type Files = ReadonlyMap<string, ArchivedFile>;

/** By the id of the product. */
const drafts = signal<ReadonlyMap<string, Draft>>(new Map());

export const draftOf = ({ id }: ProductRecord): Draft | null => drafts.value.get(id) ?? null;

export function setDraft({ id }: ProductRecord, draft: Draft | null): void {
  const next = new Map(drafts.value);
  if (draft === null) next.delete(id);
  else next.set(id, draft);
  drafts.value = next;
}

/** The files with the changes. */
export function draftedFiles(files: Files, draft: Draft | null): Files {
  const all = new Map(files);
  for (const [path, file] of draft?.changes ?? [])
    if (file === null) all.delete(path);
    else all.set(path, file);
  return new Map([...all].toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

/** Writes or removes a file. What becomes as it was is no change. */
export function withChange(
  draft: Draft,
  files: Files,
  { path, text }: { readonly path: string; readonly text: string | null },
): Draft {
  const changes = new Map(draft.changes);
  const original = files.get(path);
  if (text === (original?.text ?? null)) changes.delete(path);
  else changes.set(path, text === null ? null : textFile(path, text, original?.mode));
  // Its lines may have moved.
  return { ...draft, changes, faults: draft.faults.filter((fault) => fault.path !== path) };
}

export type Change = "new" | "changed" | "removed";

export function changeOf(files: Files, draft: Draft | null, path: string): Change | null {
  const change = draft?.changes.get(path);
  if (change === undefined) return null;
  if (change === null) return "removed";
  return files.has(path) ? "changed" : "new";
}
