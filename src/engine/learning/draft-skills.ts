import type { RoundsToLearn, Success } from "../memory/rounds-to-learn.ts";
import type { SkillDraftTable } from "../memory/skill-drafts.ts";
import { leastTrust } from "../memory/trust.ts";
import type { WriteLane } from "../memory/write-lane.ts";
import { contentWords, sharedWords, skillText } from "./skill-text.ts";

export interface DraftParts {
  readonly rounds: RoundsToLearn;
  readonly drafts: SkillDraftTable;
  /** Skill names in the catalog. */
  readonly skillNames: () => ReadonlySet<string>;
  readonly now: () => number;
}

const MAX_TURNS_READ = 400;
const PAGE_SIZE = 50;
const MIN_REPEATS = 3;
const MAX_STEPS = 20;
/** Tools that do not characterise the work. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  "plan",
  "memory_note",
  "memory_search",
  "ask_human",
  "use_skill",
  "current_time",
  "delegate",
]);

/**
 * Drafts a skill when three similar requests succeeded with the same sequence of tools. Reads the last turns each time,
 * so that those of an interrupted batch are included. Returns the number of drafts.
 */
export async function draftSkills({ rounds, drafts, skillNames, now }: DraftParts, lane: WriteLane): Promise<number> {
  const bySignature = new Map<string, Success[]>();
  let before = Number.MAX_SAFE_INTEGER;
  for (let read = 0; read < MAX_TURNS_READ; read += PAGE_SIZE) {
    const from = before;
    const page = await lane.run(() => rounds.successes({ before: from, limit: PAGE_SIZE }));
    for (const success of page) {
      const signature = signatureOf(success.calls);
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
function signatureOf(calls: readonly { readonly tool: string; readonly ok: boolean }[]): string | null {
  const tools = calls.filter(({ tool, ok }) => ok && !BOOKKEEPING.has(tool)).map(({ tool }) => tool);
  const steps = tools.filter((tool, at) => tool !== tools[at - 1]);
  return new Set(steps).size < 2 || steps.length > MAX_STEPS ? null : steps.join(" > ");
}

/** The largest group of requests similar to one of them, oldest first. */
function largestGroup(successes: readonly Success[]): readonly Success[] {
  const oldestFirst = successes.toReversed();
  const words = oldestFirst.map(({ question }) => contentWords(question));
  const kinds = words.map((one) => oldestFirst.filter((_, index) => isSimilar(one, words[index] ?? new Set())));
  return kinds.reduce<readonly Success[]>((largest, kind) => (kind.length > largest.length ? kind : largest), []);
}

function isSimilar(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const shared = sharedWords([one, other]).length;
  return shared >= 2 && shared / Math.min(one.size, other.size) >= 0.4;
}
