/** Stands in for `node:timers/promises`. */
import { world } from "../kernel/world.ts";

/** What else is due may run first. */
export const setImmediate = (): Promise<void> => world().scheduler.wait(0, "immediate");

export const setTimeout = (
  ms: number,
  value?: unknown,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const aborted = () =>
      Object.assign(new Error("The operation was aborted"), { name: "AbortError", code: "ABORT_ERR" });
    if (signal?.aborted) return reject(aborted());
    const end = () => {
      clearTimeout(timer);
      reject(aborted());
    };
    const timer = globalThis.setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve(value);
    }, ms);
    signal?.addEventListener("abort", end, { once: true });
  });
