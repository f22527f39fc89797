import type { Fact, KnownFact } from "../memory/knowledge.ts";
import { oppositePredicate } from "../memory/predicates.ts";
import { normalWords } from "./normal-words.ts";

export interface Placing {
  /** What it takes the place of. */
  readonly closes: readonly KnownFact[];
  /** What has taken its place already, though that was heard first. */
  readonly closedBy: KnownFact | null;
}

/** Since when something is so, as far as that was said, and when it was said. */
interface Told {
  readonly validFrom: number | null;
  readonly toldAt: number;
  /** It was said to put right what was said before, or of the present. */
  readonly isOfNow?: boolean;
}

type NewFact = Pick<Fact, "predicate" | "object" | "trust"> & Told & { readonly single: boolean };

const YEAR = 366 * 86_400_000;

/**
 * Where a new fact stands among those that are believed of the same subject in the same respect. What is more to be
 * relied on is not closed by what is less: both are believed then. What is heard late, of a time before, closes nothing.
 */
export function resolveConflict(fact: NewFact, known: readonly KnownFact[]): Placing {
  const against = known.filter((one) => contradicts(fact, one));
  const closes = against.filter((one) => takesPlaceOf(fact, one) && one.trust <= fact.trust);
  const later = against.filter((one) => !takesPlaceOf(fact, one) && one.trust >= fact.trust);
  const closedBy = later.reduce<KnownFact | null>(
    (first, one) => (first === null || beginning(one) < beginning(first) ? one : first),
    null,
  );
  return { closes, closedBy };
}

/** When what is so ended what was, as near as it is known; never before that had begun. */
export const endOf = (old: Told, successor: Told): number =>
  Math.max(beginning(successor), old.validFrom ?? Number.NEGATIVE_INFINITY);

const beginning = ({ validFrom, toldAt }: Told): number => validFrom ?? toldAt;

/** Of two that were said at once the new one was said last. */
const takesPlaceOf = (fact: Told, known: Told): boolean =>
  fact.toldAt >= known.toldAt ? prevails(fact, known) : !prevails(known, fact);

/**
 * Whether of two statements the one that was made later is the one that holds. Of two changes the later one does; what
 * is said to be so is so from then on; and a change ends what was said to be so, unless it was long ago even then.
 */
function prevails(last: Told, first: Told): boolean {
  if (last.isOfNow === true) return true;
  if (last.validFrom === null) return first.validFrom === null || first.validFrom <= last.toldAt;
  return last.validFrom >= (first.validFrom ?? first.toldAt - YEAR);
}

function contradicts({ predicate, object, single }: NewFact, known: KnownFact): boolean {
  const same = normalWords(known.object) === normalWords(object);
  if (known.predicate === oppositePredicate(predicate)) return same;
  return known.predicate === predicate && single && !same;
}
