import type { RoundsToLearn, SuccessfulTurn } from "../memory/rounds-to-learn.ts";
import { indexWords } from "../../shared/words/index-text.ts";
import { isFunctionWord } from "../../shared/words/stop-words.ts";
import type { SkillDraftTable } from "../memory/skill-drafts.ts";
import { leastTrust } from "../memory/trust.ts";
import type { WriteLane } from "../memory/write-lane.ts";
import type { ToolNamed } from "../tools/tool.ts";
import { visibleText } from "../tools/visible-text.ts";

export interface DraftParts {
  readonly rounds: RoundsToLearn;
  readonly drafts: SkillDraftTable;
  readonly toolNamed: ToolNamed;
  /** Skill names in the catalog. */
  readonly skillNames: () => ReadonlySet<string>;
  readonly now: () => number;
}

const MAX_TURNS_READ = 400;
const PAGE_SIZE = 50;
const MIN_REPEATS = 3;
const MAX_STEPS = 20;

const MAX_NAME_LENGTH = 48;
const MAX_EXAMPLES = 3;
const MAX_EXAMPLE_LENGTH = 200;

/**
 * Drafts a skill when three similar requests succeeded with the same sequence of tools. Reads the last turns each time,
 * so that those of an interrupted batch are included. Returns the number of drafts.
 */
export async function draftSkills(
  { rounds, drafts, toolNamed, skillNames, now }: DraftParts,
  lane: WriteLane,
): Promise<number> {
  const bySignature = new Map<string, SuccessfulTurn[]>();
  let before = Number.MAX_SAFE_INTEGER;
  for (let read = 0; read < MAX_TURNS_READ; read += PAGE_SIZE) {
    const from = before;
    const page = await lane.run(() => rounds.successes({ before: from, limit: PAGE_SIZE }));
    for (const success of page) {
      const signature = signatureOf(success.calls, toolNamed);
      if (signature === null) continue;
      bySignature.set(signature, [...(bySignature.get(signature) ?? []), success]);
    }
    if (page.length < PAGE_SIZE) break;
    before = page.at(-1)?.number ?? 0;
  }
  let drafted = 0;
  for (const [signature, successes] of bySignature) {
    const similar = largestGroup(successes);
    if (similar.length < MIN_REPEATS) continue;
    const [first, ...rest] = similar.map(({ trust }) => trust);
    if (first === undefined) continue;
    drafted += await lane.run(() => {
      if (drafts.has({ signature })) return 0;
      const requests = similar.map(({ question }) => question);
      const isTaken = (name: string) => skillNames().has(name) || drafts.has({ name });
      const draft = skillText({ requests, tools: signature.split(" > "), isTaken });
      const trajectories = similar.map(({ id }) => id).toSorted();
      drafts.insert({ ...draft, signature, trust: leastTrust(first, ...rest), trajectories }, now());
      return 1;
    });
  }
  return drafted;
}

/** The sequence of tools, repeats collapsed; null for fewer than two tools or too many steps. */
function signatureOf(
  calls: readonly { readonly tool: string; readonly ok: boolean }[],
  toolNamed: ToolNamed,
): string | null {
  const tools = calls.filter(({ tool, ok }) => ok && toolNamed(tool)?.bookkeeping !== true).map(({ tool }) => tool);
  const steps = tools.filter((tool, at) => tool !== tools[at - 1]);
  return new Set(steps).size < 2 || steps.length > MAX_STEPS ? null : steps.join(" > ");
}

/** The largest group of requests similar to one of them, oldest first. */
function largestGroup(successes: readonly SuccessfulTurn[]): readonly SuccessfulTurn[] {
  const oldestFirst = successes.toReversed();
  const words = oldestFirst.map(({ question }) => contentWords(question));
  const kinds = words.map((one) => oldestFirst.filter((_, index) => isSimilar(one, words[index] ?? new Set())));
  return kinds.reduce<readonly SuccessfulTurn[]>(
    (largest, kind) => (kind.length > largest.length ? kind : largest),
    [],
  );
}

function isSimilar(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const shared = sharedWords([one, other]).length;
  return shared >= 2 && shared / Math.min(one.size, other.size) >= 0.4;
}

/**
 * The text of a skill file. It contains only tool names and quoted user requests, one per line without hidden characters:
 * tool output must never become an instruction.
 */
function skillText({
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
    `description: ${JSON.stringify(`How requests about ${about} succeeded before. Use it for a similar request.`)}`,
    "---",
    "",
    "Earlier requests, in the user's words:",
    "",
    ...examples.map((example) => `> ${example}`),
    "",
    "Tools used each time, in this order:",
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
function contentWords(text: string): ReadonlySet<string> {
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

const sharedWords = ([first, ...rest]: readonly ReadonlySet<string>[]): readonly string[] =>
  [...(first ?? [])].filter((word) => rest.every((others) => others.has(word)));
