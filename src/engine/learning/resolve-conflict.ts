import type { Fact, KnownFact } from "../memory/knowledge.ts";
import { oppositePredicate } from "../memory/predicates.ts";
import { normalWords } from "./normal-words.ts";

export interface ConflictResolution {
  /** Facts that the new one supersedes. */
  readonly closes: readonly KnownFact[];
  /** The known fact that already supersedes the new one. */
  readonly closedBy: KnownFact | null;
}

/** When a statement was made, and the start of its validity if it was given. */
interface Statement {
  readonly validFrom: number | null;
  readonly statedAt: number;
  /** Stated explicitly as the current state, or as a correction. */
  readonly isCurrent?: boolean;
}

type NewFact = Pick<Fact, "predicate" | "object" | "trust"> & Statement & { readonly single: boolean };

const YEAR = 366 * 86_400_000;

/**
 * Resolves conflicts of a new fact with known facts of the same subject and predicate. A fact never closes one of higher
 * trust; both stay live then. A late statement about an earlier time closes nothing.
 */
export function resolveConflict(fact: NewFact, known: readonly KnownFact[]): ConflictResolution {
  const against = known.filter((one) => contradicts(fact, one));
  const closes = against.filter((one) => supersedes(fact, one) && one.trust <= fact.trust);
  const later = against.filter((one) => !supersedes(fact, one) && one.trust >= fact.trust);
  const closedBy = later.reduce<KnownFact | null>(
    (first, one) => (first === null || beginning(one) < beginning(first) ? one : first),
    null,
  );
  return { closes, closedBy };
}

/** End of the superseded statement: the start of its successor, but never before its own start. */
export const endOf = (old: Statement, successor: Statement): number =>
  Math.max(beginning(successor), old.validFrom ?? Number.NEGATIVE_INFINITY);

const beginning = ({ validFrom, statedAt }: Statement): number => validFrom ?? statedAt;

/** At equal times the new statement counts as the later one. */
const supersedes = (fact: Statement, known: Statement): boolean =>
  fact.statedAt >= known.statedAt ? prevails(fact, known) : !prevails(known, fact);

/**
 * Whether the later of two statements holds. Of two dated changes, the one with the later date does. An undated statement
 * holds from its time on. A dated change ends an undated statement unless it was over a year old by then.
 */
function prevails(last: Statement, first: Statement): boolean {
  if (last.isCurrent === true) return true;
  if (last.validFrom === null) return first.validFrom === null || first.validFrom <= last.statedAt;
  return last.validFrom >= (first.validFrom ?? first.statedAt - YEAR);
}

function contradicts({ predicate, object, single }: NewFact, known: KnownFact): boolean {
  const same = normalWords(known.object) === normalWords(object);
  if (known.predicate === oppositePredicate(predicate)) return same;
  return known.predicate === predicate && single && !same;
}
