import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

type Collect = (how: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void;

/**
 * Collects now what nothing refers to, and code that may be compiled again. For the moment behind a start: loading
 * leaves half as much garbage as it keeps, and a process that then does nothing would carry that for good. Everything
 * stops for some 10 ms, and what runs next runs a little later for the first time.
 */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as Collect;
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
}
