import { type CallFacts, callFact } from "../tools/call-facts.ts";

type HeaderPart = { readonly text: string } | { readonly fact: string };
/** Headers of a remote server that differ between calls, by name. */
export type CallHeaders = Readonly<Record<string, readonly HeaderPart[]>>;

/** No header has this character, so no text is taken for a mark. */
const MARK = "\0";
export const markCallFact = (name: string): string => MARK + name + MARK;

/** Tells headers that are the same for all calls from those that are not. */
export function partedHeaders(texts: Readonly<Record<string, string>>): {
  readonly headers: Record<string, string>;
  readonly callHeaders: CallHeaders;
} {
  const headers: Record<string, string> = {};
  const callHeaders: Record<string, readonly HeaderPart[]> = {};
  for (const [name, text] of Object.entries(texts)) {
    const parts = text.split(MARK);
    if (parts.length === 1) headers[name] = text;
    else callHeaders[name] = parts.map((part, at) => (at % 2 === 0 ? { text: part } : { fact: part }));
  }
  return { headers, callHeaders };
}

/** The text that is the same for all calls, for a check of it. */
export const textOfParts = (parts: readonly HeaderPart[]): string =>
  parts.map((part) => ("text" in part ? part.text : "")).join("");

/** The headers of one call, or why it has none. */
export function headersOfCall(
  callHeaders: CallHeaders,
  facts: CallFacts,
): { readonly headers: Readonly<Record<string, string>>; readonly problem: string | null } {
  const headers: Record<string, string> = {};
  for (const [name, parts] of Object.entries(callHeaders)) {
    const value = parts.map((part) => ("text" in part ? part.text : (callFact(facts, part.fact) ?? ""))).join("");
    if (!/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value))
      return {
        headers: {},
        problem: `a value is not valid in the header ${name}: expected one line of Latin-1 characters`,
      };
    headers[name] = value;
  }
  return { headers, problem: null };
}
