import { type History, textOf } from "./history.ts";

/** How many rounds a word may be in and still tell one from another. */
const RARE = 0.08;

/** The share of answerable questions that have a rare word in common with all, or any, of their evidence. */
export function sharedWords(histories: readonly History[]): { readonly any: number; readonly all: number } {
  const shares = histories.flatMap((history) => {
    const rounds = new Map(
      history.conversations.flatMap(({ rounds }) => rounds).map((one) => [one.id, words(textOf(one))]),
    );
    const counts = new Map<string, number>();
    for (const word of [...rounds.values()].flatMap((set) => [...set])) counts.set(word, (counts.get(word) ?? 0) + 1);
    const asked = history.questions.filter(({ evidence }) => evidence.length > 0);
    return asked.map(({ text, evidence }) => {
      const rare = [...words(text)].filter((word) => (counts.get(word) ?? 0) <= RARE * rounds.size);
      const meets = evidence.map(({ round }) => rare.some((word) => rounds.get(round)?.has(word)));
      return { any: meets.includes(true), all: !meets.includes(false) };
    });
  });
  const share = (meets: readonly boolean[]): number => meets.filter(Boolean).length / meets.length;
  return { any: share(shares.map(({ any }) => any)), all: share(shares.map(({ all }) => all)) };
}

const words = (text: string): Set<string> => new Set((text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []).map(stem));

/** Enough to see "recommend" in "recommended" and "city" in "cities". */
const stem = (word: string): string =>
  word
    .replace(/ies$/, "y")
    .replace(/(ing|ed|es|s)$/, "")
    .slice(0, 5);
