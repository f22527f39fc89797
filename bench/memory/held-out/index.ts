import type { Material } from "../material.ts";
import { ANSWERS } from "./answers.ts";
import { CHANGES } from "./changes.ts";
import { FACTS } from "./facts.ts";
import { FILLER } from "./filler.ts";
import { HAPPENINGS, TIMES } from "./happenings.ts";
import { PAIRS, TALLIES } from "./several.ts";
import { STRANGERS } from "./strangers.ts";
import { TASTES } from "./tastes.ts";
import { WORDS } from "./words.ts";

/** The half whose figures are reported. Not to be read by whoever works on a search. */
export const HELD_OUT: Material = {
  words: WORDS,
  facts: FACTS,
  tastes: TASTES,
  answers: ANSWERS,
  tallies: TALLIES,
  pairs: PAIRS,
  changes: CHANGES,
  happenings: HAPPENINGS,
  times: TIMES,
  strangers: STRANGERS,
  filler: FILLER,
};
