import type { EventRecord } from "../src/client/records.ts";
import { logWords } from "./log-line.ts";
import { safe } from "./output.ts";

/** The data of an event as words: a line of the engine's log by its message, and other values as `name=value`. */
export function describeData(data: EventRecord["data"], reason: string | null): readonly string[] {
  return Object.entries(data).flatMap(([name, value]) => {
    // An exit has the reason twice.
    if (value === reason) return [];
    if (value === null || value === false || (Array.isArray(value) && value.length === 0)) return [];
    if (name === "log_tail" && Array.isArray(value)) return [`log: ${value.map(wordsOf).join("; ")}`];
    if (Array.isArray(value) && value.every((item) => typeof item !== "object"))
      return [`${safe(name)}=${value.map((item) => safe(item)).join(",")}`];
    return [`${safe(name)}=${safe(value)}`];
  });
}

const wordsOf = (line: unknown): string => safe(logWords(String(line)));
