import { predicateHints } from "../memory/predicates.ts";
import type { SoundFact } from "./judge-fact.ts";

const LONGEST = 2000;
const MONTHS = "January February March April May June July August September October November December".split(" ");

/** By what else a round is to be found: its facts, other words for what they are about, names, and the months it speaks of. */
export function roundKeys(facts: readonly SoundFact[], names: readonly string[]): string {
  const hints = facts.flatMap(({ predicate }) => predicateHints(predicate).split(" "));
  const months = facts.flatMap(({ content }) =>
    [...content.matchAll(/\b\d{4}-(\d{2})\b/g)].map(([, month]) => MONTHS[Number(month) - 1] ?? ""),
  );
  const words = [...facts.map(({ content }) => content), ...new Set([...names, ...hints, ...months])];
  return words
    .filter((word) => word !== "")
    .join(" ")
    .slice(0, LONGEST)
    .toWellFormed();
}
