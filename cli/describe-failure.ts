import { adviceFor } from "./advice.ts";
import type { CliFailure } from "./exit-codes.ts";

/** A failure's message, and advice if there is any. */
export function describeFailure({ message, code, advice = adviceFor(code) }: CliFailure): string {
  const text = `orchctl: ${indented(message)}`;
  return advice === undefined ? text : `${text}\n(${indented(advice)})`;
}

/** Indents the later lines of a foreign message, so that none looks like one of orchctl's own. */
export const indented = (text: string): string => text.replaceAll("\n", "\n  ");
