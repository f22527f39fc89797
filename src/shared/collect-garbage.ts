import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

type How = { readonly type: "minor" } | { readonly type: "major"; execution: "sync"; flavor: "last-resort" };

/**
 * Runs a full garbage collection, which also flushes compiled code. Call it after the start: loading leaves half as much
 * garbage as it keeps, and an idle process would never collect it. It blocks the process for about 10 ms.
 */
export function collectGarbage(): void {
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
}

/** A minor garbage collection, which keeps compiled code. */
export const collectYoungGarbage = (): void => collect({ type: "minor" });

function collect(how: How): void {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as (how: How) => void;
  gc(how);
}
