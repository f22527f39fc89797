import type { ExtractedNode } from "../extraction.ts";
import { KIN, NAME, kinType, plainRelation, severalNamed } from "./kin.ts";
import { isCommonWord } from "../normal-words.ts";

/** Whom a clause is about, and what follows. */
export interface Subject {
  /** As it is shown: "user", "Anna", "user's dog". */
  readonly name: string;
  readonly rest: string;
  /** What follows is what is the subject's own: "'s birthday is". */
  readonly owns: boolean;
  /** A name that nobody has explained. */
  readonly stranger: boolean;
}

const MINE = new RegExp(
  `^(?:[Mm]y|[Oo]ur) (?<kin>${KIN})(?:,? (?:(?:named|called) )?(?<name>${NAME}))?,?(?<owns>['’]s)?(?= |$)`,
  "u",
);
const A_KIN = new RegExp(
  `\\b(?:(?:[Mm]y|[Oo]ur)|[Aa]n?|another) (?<kin>${KIN}),? (?:(?<named>named|called|whose name is) )?(?<name>${NAME})`,
  "gu",
);
const MY_KIN = new RegExp(`\\b[Mm]y (?<kin>${KIN})(?!s|['’]s|\\w|,? (?:named|called|\\p{Lu}))`, "gu");
const IS_KIN = new RegExp(`^(?<name>${NAME}),? is (?:my|our|one of my) (?<kin>${KIN})s?\\b`, "u");
const KIN_IS = new RegExp(
  `^(?:[Mm]y|[Oo]ur) (?<kin>${KIN})(?:['’]s name)? is (?:now |called |named |a \\w+ named )?(?<name>${NAME})$`,
  "u",
);
const NAMED = new RegExp(`^(?<name>${NAME})(?<owns>['’]s)?(?= )`, "u");

/** Who is spoken of in a message, as it goes on. */
export class Speaking {
  readonly #people = new Map<string, ExtractedNode>();
  #last: string | null = null;
  /** All who were spoken of: a pronoun tells only where there is one. */
  readonly #told = new Set<string>();

  people(): readonly ExtractedNode[] {
    return [...this.#people.values()];
  }

  /** Takes in whom a clause introduces. */
  hear(clause: string): void {
    const own = KIN_IS.exec(clause)?.groups ?? IS_KIN.exec(clause)?.groups;
    if (own !== undefined) this.#meet(own["name"], own["kin"]);
    for (const { name, relation } of severalNamed(clause)) this.#meet(name, relation);
    for (const { groups = {} } of clause.matchAll(MY_KIN)) {
      this.#last = this.#named(groups["kin"] ?? "") ?? `user's ${plainRelation(groups["kin"] ?? "")}`;
      this.#told.add(this.#last);
    }
    for (const { groups = {}, 0: words } of clause.matchAll(A_KIN))
      if (groups["named"] !== undefined || /^(?:my|our) /i.test(words)) this.#meet(groups["name"], groups["kin"]);
  }

  subjectOf(clause: string): Subject | null {
    const me = /^(?:I|we)(?=['’ ])/i.exec(clause);
    if (me !== null) return { name: "user", rest: after(clause, me[0]), owns: false, stranger: false };
    const mine = MINE.exec(clause);
    if (mine?.groups !== undefined) {
      const { kin = "", name, owns } = mine.groups;
      const given = isName(name) ? name : null;
      if (given !== null) this.#meet(given, kin);
      const known = given ?? this.#named(kin);
      this.#last = known ?? `user's ${plainRelation(kin)}`;
      this.#told.add(this.#last);
      const words = name !== undefined && given === null ? mine[0].slice(0, mine[0].indexOf(name)).trimEnd() : mine[0];
      return { name: this.#last, rest: after(clause, words), owns: owns !== undefined, stranger: false };
    }
    const they = /^(?:he|she)(?=['’ ])/i.exec(clause);
    if (they !== null && this.#last !== null && this.#told.size === 1)
      return { name: this.#last, rest: after(clause, they[0]), owns: false, stranger: false };
    const named = NAMED.exec(clause);
    const name = named?.groups?.["name"];
    if (named === null || !isName(name)) return null;
    const stranger = !this.#people.has(name);
    return { name, rest: after(clause, named[0]), owns: named.groups?.["owns"] !== undefined, stranger };
  }

  #meet(name: string | undefined, kin = ""): void {
    if (!isName(name)) return;
    this.#told.add(name);
    this.#last = name;
    const relation = plainRelation(kin);
    this.#people.set(name, { name, type: kinType(relation), relation, aliases: [] });
  }

  #named(kin: string): string | null {
    const relation = plainRelation(kin);
    const found = this.people().filter((one) => one.relation === relation);
    return found.length === 1 ? (found[0]?.name ?? null) : null;
  }
}

const after = (clause: string, words: string): string => clause.slice(words.length).replace(/^[\s,]+/, "");

const isName = (name: string | undefined): name is string =>
  name !== undefined && !isCommonWord(name.split(" ")[0] ?? name) && /\p{Ll}/u.test(name);
