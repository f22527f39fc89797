import type { OrchdError } from "@orchd/client";
import { useState } from "preact/hooks";
import { asProblem } from "../parts/problem.ts";
import { useResource } from "./resource.ts";

interface PageOf<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

export interface Pages<T> {
  readonly items: readonly T[] | null;
  readonly problem: OrchdError | null;
  /** Null when everything was read. */
  readonly more: (() => void) | null;
  readonly reload: () => void;
}

/** A list that is read page by page, on request. */
export function usePages<T>(
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<PageOf<T>>,
  keys: readonly unknown[],
): Pages<T> {
  const [later, setLater] = useState<{ readonly of: PageOf<T>; readonly pages: readonly PageOf<T>[] } | null>(null);
  const [problem, setProblem] = useState<OrchdError | null>(null);
  const first = useResource((signal) => load(undefined, signal), keys);
  if (first.data === null) return { items: null, problem: first.problem, more: null, reload: first.reload };
  // Pages that followed another first page are not shown.
  const pages = later?.of === first.data ? later.pages : [];
  const cursor = (pages.at(-1) ?? first.data).next_cursor;
  const of = first.data;
  const more = async (after: string) => {
    try {
      const page = await load(after, AbortSignal.timeout(30_000));
      setLater({ of, pages: [...pages, page] });
      setProblem(null);
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  return {
    items: [of, ...pages].flatMap(({ items }) => items),
    problem: first.problem ?? problem,
    more: cursor === null ? null : () => void more(cursor),
    reload: first.reload,
  };
}
