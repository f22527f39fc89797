import { useEffect, useRef } from "preact/hooks";
import { type Resource, useResource } from "./resource.ts";

const REFRESH_MS = 10_000;

/** The samples of the last hour, read again as often as there is a new one. */
export function useSamples<T>(load: (signal: AbortSignal) => Promise<T>, keys: readonly unknown[]): Resource<T> {
  const samples = useResource(load, keys);
  usePolling(samples.reload, REFRESH_MS);
  return samples;
}

/** Calls a function now and then while the page is visible. */
export function usePolling(call: () => void, everyMs: number): void {
  // The function of the last drawing: it knows what is shown now.
  const last = useRef(call);
  last.current = call;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") last.current();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
