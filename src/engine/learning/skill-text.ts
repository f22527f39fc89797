import { visibleText } from "../tools/visible-text.ts";
import { contentWords, plainWords, sharedWords, stem } from "./shared-words.ts";

const LONGEST_NAME = 48;
const MOST_EXAMPLES = 3;
const LONGEST_EXAMPLE = 200;

/**
 * A skill's file, in the form of the catalog. Only tools' names and the user's own words stand in it, which are quoted,
 * on one line each, with nothing in them hidden: what tools gave never words an instruction.
 */
export function skillText({
  requests,
  tools,
  isTaken,
}: {
  readonly requests: readonly string[];
  readonly tools: readonly string[];
  readonly isTaken: (name: string) => boolean;
}): { readonly name: string; readonly body: string } {
  const shared = wordsShared(requests);
  const name = freeName(shared, isTaken);
  const about = shared.join(", ");
  const examples = requests.slice(-MOST_EXAMPLES).map((request) => visibleText(request, LONGEST_EXAMPLE));
  const body = [
    "---",
    `name: ${name}`,
    `description: ${JSON.stringify(`How requests about ${about} were done before, each time with success. Use it when such a request comes again.`)}`,
    "---",
    "",
    "Requests that this was drawn from, in the user's words:",
    "",
    ...examples.map((example) => `> ${example}`),
    "",
    "What was done each time, in this order:",
    "",
    ...tools.map((tool, index) => `${index + 1}. \`${visibleText(tool, LONGEST_EXAMPLE)}\``),
    "",
  ];
  return { name, body: body.join("\n") };
}

/** Those of all requests, as the newest has them; of most of them where they share too few. */
function wordsShared(requests: readonly string[]): readonly string[] {
  const all = requests.map(contentWords);
  const inAll = new Set(sharedWords(all));
  const newest = [...new Set(plainWords(requests.at(-1) ?? ""))];
  const isCommon = (word: string) => all.filter((words) => words.has(stem(word))).length * 2 > all.length;
  const shared = newest.filter((word) => inAll.has(stem(word)));
  return (shared.length >= 2 ? shared : newest.filter(isCommon)).slice(0, 6);
}

function freeName(words: readonly string[], isTaken: (name: string) => boolean): string {
  const plain = words.slice(0, 4).join("-").slice(0, LONGEST_NAME).replace(/-+$/, "") || "repeated-work";
  for (let number = 1; ; number++) {
    const name = number === 1 ? plain : `${plain}-${number}`;
    if (!isTaken(name)) return name;
  }
}
