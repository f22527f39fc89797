import { adviceFor } from "./advice.ts";
import type { CliFailure } from "./exit-codes.ts";

/** A failure in words, and what to do about it, where that is known. */
export function describeFailure({ message, code, advice = adviceFor(code) }: CliFailure): string {
  const words = `orchctl: ${indented(message)}`;
  return advice === undefined ? words : `${words}\n(${indented(advice)})`;
}

/** A line of a message that came from elsewhere is not taken for one of orchctl's own. */
export const indented = (words: string): string => words.replaceAll("\n", "\n  ");
