import { readFileSync } from "node:fs";
import { overwriteMemory } from "../system/system-calls.ts";

/** Fields of `/proc/self/stat` after the command, from the state on: where arguments and environment start. */
const ARGUMENTS_AT = 45;
const ENVIRONMENT_AT = 47;

/**
 * Replaces a text in the arguments and the environment that this process was started with, by one of the same length.
 * `/proc/<pid>/cmdline`, `/proc/<pid>/environ` and `getenv` read the memory that is overwritten. Returns how often the
 * text was found.
 */
export function replaceInOwnStrings(text: string, replacement: string): number {
  const [old, bytes] = [Buffer.from(text), Buffer.from(replacement)];
  if (old.length !== bytes.length) throw new RangeError(`expected ${old.length} bytes, got ${bytes.length}`);
  const stat = readFileSync("/proc/self/stat", "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  let found = 0;
  for (const [name, field] of [
    ["cmdline", ARGUMENTS_AT],
    ["environ", ENVIRONMENT_AT],
  ] as const) {
    const strings = readFileSync(`/proc/self/${name}`);
    const start = BigInt(fields[field] ?? "0");
    for (let at = strings.indexOf(old); at >= 0; at = strings.indexOf(old, at + 1)) {
      overwriteMemory(start + BigInt(at), bytes);
      found++;
    }
  }
  return found;
}
