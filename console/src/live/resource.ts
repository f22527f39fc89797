import { useEffect, useRef, useState } from "preact/hooks";
import type { OrchdError } from "@orchd/client";
import { epoch } from "./connection.ts";
import { asProblem } from "../parts/problem.ts";

export interface Resource<T> {
  readonly data: T | null;
  /** Of the last read. Data of an earlier one is kept. */
  readonly problem: OrchdError | null;
  readonly reload: () => void;
}

/** Reads on mount, when `keys` change, after a lost connection, and on `reload`. */
export function useResource<T>(load: (signal: AbortSignal) => Promise<T>, keys: readonly unknown[]): Resource<T> {
  const [state, setState] = useState<Pick<Resource<T>, "data" | "problem">>({ data: null, problem: null });
  const [reloads, setReloads] = useState(0);
  const shown = useRef<string | null>(null);
  const key = JSON.stringify(keys);
  useEffect(() => {
    const abort = new AbortController();
    // Data of other keys is never shown.
    if (shown.current !== key) setState({ data: null, problem: null });
    shown.current = key;
    load(abort.signal).then(
      (data) => !abort.signal.aborted && setState({ data, problem: null }),
      (error: unknown) => !abort.signal.aborted && setState(({ data }) => ({ data, problem: asProblem(error) })),
    );
    return () => abort.abort();
  }, [key, reloads, epoch.value]);
  return { ...state, reload: () => setReloads((count) => count + 1) };
}
