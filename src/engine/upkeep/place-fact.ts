import type { Fact, KnownFact } from "../memory/knowledge.ts";
import { oppositePredicate } from "../memory/predicates.ts";
import { normalWords } from "./normal-words.ts";

export interface Placing {
  /** What it takes the place of. */
  readonly closes: readonly KnownFact[];
  /** What has taken its place already, though that was heard first. */
  readonly closedBy: KnownFact | null;
}

type NewFact = Pick<Fact, "predicate" | "object" | "trust"> & { readonly single: boolean; readonly validFrom: number };

/**
 * Where a new fact stands among those that are believed of the same subject in the same respect. What is more to be
 * relied on is not closed by what is less: both are believed then. What is heard late, of a time before, closes nothing.
 */
export function placeFact(fact: NewFact, known: readonly KnownFact[]): Placing {
  const against = known.filter((one) => contradicts(fact, one));
  const later = against.filter((one) => since(one) > fact.validFrom && one.trust >= fact.trust);
  const closes = against.filter((one) => since(one) <= fact.validFrom && one.trust <= fact.trust);
  const closedBy = later.reduce<KnownFact | null>(
    (first, one) => (first === null || since(one) < since(first) ? one : first),
    null,
  );
  return { closes, closedBy };
}

const since = ({ validFrom }: KnownFact): number => validFrom ?? Number.NEGATIVE_INFINITY;

function contradicts({ predicate, object, single }: NewFact, known: KnownFact): boolean {
  const same = normalWords(known.object) === normalWords(object);
  if (known.predicate === oppositePredicate(predicate)) return same;
  return known.predicate === predicate && single && !same;
}
