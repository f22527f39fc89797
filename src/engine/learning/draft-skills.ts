import type { RoundsToLearn, Success } from "../memory/rounds-to-learn.ts";
import type { SkillDraftTable } from "../memory/skill-drafts.ts";
import { leastTrust } from "../memory/trust.ts";
import type { WriteLane } from "../memory/write-lane.ts";
import { contentWords, sharedWords } from "./shared-words.ts";
import { skillText } from "./skill-text.ts";

export interface DraftParts {
  readonly rounds: RoundsToLearn;
  readonly drafts: SkillDraftTable;
  /** Names that skills of the catalog have. */
  readonly skillNames: () => ReadonlySet<string>;
  readonly now: () => number;
}

const LOOKED_BACK = 400;
const READ_AT_ONCE = 50;
const LEAST_TIMES = 3;
const MOST_STEPS = 20;
/** They keep the agent's own books, whatever the work is. */
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
 * Drafts a skill from what was done the same way, and came to a good end, for three requests of a kind. It looks at all
 * of the last turns each time: those of a batch that was cut off are among them.
 */
export async function draftSkills({ rounds, drafts, skillNames, now }: DraftParts, lane: WriteLane): Promise<number> {
  const bySignature = new Map<string, Success[]>();
  let before = Number.MAX_SAFE_INTEGER;
  for (let read = 0; read < LOOKED_BACK; read += READ_AT_ONCE) {
    const from = before;
    const page = await lane.run(() => rounds.successes({ before: from, limit: READ_AT_ONCE }));
    for (const success of page) {
      const signature = signatureOf(success.calls);
      if (signature === null) continue;
      bySignature.set(signature, [...(bySignature.get(signature) ?? []), success]);
    }
    if (page.length < READ_AT_ONCE) break;
    before = page.at(-1)?.number ?? 0;
  }
  let drafted = 0;
  for (const [signature, successes] of bySignature) {
    const alike = largestKind(successes);
    if (alike.length < LEAST_TIMES) continue;
    const [first, ...rest] = alike.map(({ trust }) => trust);
    if (first === undefined) continue;
    drafted += await lane.run(() => {
      if (drafts.has({ signature })) return 0;
      const requests = alike.map(({ question }) => question);
      const isTaken = (name: string) => skillNames().has(name) || drafts.has({ name });
      const draft = skillText({ requests, tools: signature.split(" > "), isTaken });
      const trajectories = alike.map(({ id }) => id).toSorted();
      drafts.insert({ ...draft, signature, trust: leastTrust(first, ...rest), trajectories }, now());
      return 1;
    });
  }
  return drafted;
}

/** Which tools did the work, in order, the same one after itself counted once; null for what is no sequence. */
function signatureOf(calls: readonly { readonly tool: string; readonly ok: boolean }[]): string | null {
  const tools = calls.filter(({ tool, ok }) => ok && !BOOKKEEPING.has(tool)).map(({ tool }) => tool);
  const steps = tools.filter((tool, at) => tool !== tools[at - 1]);
  return new Set(steps).size < 2 || steps.length > MOST_STEPS ? null : steps.join(" > ");
}

/** The most requests that share words with one of them: the oldest first. */
function largestKind(successes: readonly Success[]): readonly Success[] {
  const oldestFirst = successes.toReversed();
  const words = oldestFirst.map(({ question }) => contentWords(question));
  const kinds = words.map((one) => oldestFirst.filter((_, index) => isAlike(one, words[index] ?? new Set())));
  return kinds.reduce<readonly Success[]>((largest, kind) => (kind.length > largest.length ? kind : largest), []);
}

function isAlike(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const shared = sharedWords([one, other]).length;
  return shared >= 2 && shared / Math.min(one.size, other.size) >= 0.4;
}
