import { indexWords } from "../memory/search/index-text.ts";
import { isFunctionWord } from "../memory/search/stop-words.ts";
import { visibleText } from "../tools/visible-text.ts";

const MAX_NAME_LENGTH = 48;
const MAX_EXAMPLES = 3;
const MAX_EXAMPLE_LENGTH = 200;

/**
 * The text of a skill file. It contains only tool names and quoted user requests, one per line without hidden characters:
 * tool output must never become an instruction.
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
  const examples = requests.slice(-MAX_EXAMPLES).map((request) => visibleText(request, MAX_EXAMPLE_LENGTH));
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
    ...tools.map((tool, index) => `${index + 1}. \`${visibleText(tool, MAX_EXAMPLE_LENGTH)}\``),
    "",
  ];
  return { name, body: body.join("\n") };
}

/** Words of the newest request that all requests share, or most of them if those are too few. */
function wordsShared(requests: readonly string[]): readonly string[] {
  const all = requests.map(contentWords);
  const inAll = new Set(sharedWords(all));
  const newest = [...new Set(plainWords(requests.at(-1) ?? ""))];
  const isCommon = (word: string) => all.filter((words) => words.has(stem(word))).length * 2 > all.length;
  const shared = newest.filter((word) => inAll.has(stem(word)));
  return (shared.length >= 2 ? shared : newest.filter(isCommon)).slice(0, 6);
}

function freeName(words: readonly string[], isTaken: (name: string) => boolean): string {
  const plain = words.slice(0, 4).join("-").slice(0, MAX_NAME_LENGTH).replace(/-+$/, "") || "repeated-work";
  for (let number = 1; ; number++) {
    const name = number === 1 ? plain : `${plain}-${number}`;
    if (!isTaken(name)) return name;
  }
}

/** Stems of the content words of a request, without numbers, paths and addresses. */
export function contentWords(text: string): ReadonlySet<string> {
  return new Set(plainWords(text).map(stem));
}

const stem = (word: string): string => indexWords(word)[0] ?? word;

/** The content words, unstemmed. */
const plainWords = (text: string): readonly string[] =>
  text
    .slice(0, 2000)
    .toLowerCase()
    .replaceAll(/\S*[\d/\\@_.]\S+/g, " ")
    .split(/[^a-z]+/)
    .filter((word) => word.length > 2 && !isFunctionWord(word) && word !== "please");

export const sharedWords = ([first, ...rest]: readonly ReadonlySet<string>[]): readonly string[] =>
  [...(first ?? [])].filter((word) => rest.every((others) => others.has(word)));
