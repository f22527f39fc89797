/**
 * What histories are made of. A template names a list of words in braces; a number behind the name asks for another word
 * of the same list: "{city}" and "{city2}" always differ.
 */
export interface Material {
  readonly words: Readonly<Record<string, readonly string[]>>;
  readonly facts: readonly Fact[];
  readonly tastes: readonly Fact[];
  readonly answers: readonly Answer[];
  readonly tallies: readonly Tally[];
  readonly pairs: readonly Pair[];
  readonly changes: readonly Change[];
  readonly happenings: readonly Happening[];
  readonly times: Times;
  /** Questions about what no conversation touches. */
  readonly strangers: readonly Unsaid[];
  readonly filler: Filler;
}

interface Told {
  /** The filler topic of the conversations in which it is told more often than elsewhere. */
  readonly topic: string;
  /** The last wording has hardly a word in common with what was said. */
  readonly asked: readonly string[];
  /** The same sort of thing about somebody else, or the same words in another sense. */
  readonly others: readonly string[];
}

/** Something the user says once, in passing. */
export interface Fact extends Told {
  readonly said: readonly string[];
  readonly holds: string;
  readonly unsaid?: Unsaid;
}

/** Near the told fact, but never told. */
export interface Unsaid {
  readonly asked: readonly string[];
  readonly never: readonly string[];
}

/** Something the assistant says, among other things, when asked for it. */
export interface Answer extends Told {
  readonly request: readonly string[];
  readonly said: readonly string[];
  readonly holds: string;
}

/** The same sort of thing told in several conversations; the question needs all of them. */
export interface Tally extends Told {
  readonly said: readonly string[];
  readonly holds: string;
}

/** Different things told in different conversations that one question needs together. */
export interface Pair extends Told {
  readonly parts: readonly { readonly said: readonly string[]; readonly holds: string }[];
}

/** Something that is told again with another {value}, drawn from the list `values`. */
export interface Change extends Told {
  readonly values: string;
  readonly first: readonly string[];
  readonly later: readonly string[];
  /** Asks for what was true at first. */
  readonly former: readonly string[];
}

/** Something that happens several times a year; `asked` has a {when}. */
export interface Happening extends Told {
  readonly said: readonly string[];
  readonly holds: string;
  /** What questions call one of them. */
  readonly noun: readonly string[];
}

export interface Times {
  /** Names of months and numbers from 0 to 12; English ones if there are none. */
  readonly months?: readonly string[];
  readonly numbers?: readonly string[];
  /** With {month}, {day}, {year}, {days}, {weeks} or {months}: chosen where it fits the date. */
  readonly when: readonly string[];
  /** With {weeks} and {a}, the noun of another happening. */
  readonly before: readonly string[];
  readonly order: readonly string[];
  readonly gap: readonly string[];
}

/** What all the rest of the talk is made of. */
export interface Filler {
  readonly topics: readonly Topic[];
  /** Lists that any filler template may name. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly openers: readonly string[];
  readonly closers: readonly string[];
  /** What may follow a sentence of the assistant's. */
  readonly reasons: readonly string[];
  readonly sentences: readonly string[];
  readonly context: readonly string[];
  /** Said in passing, and never asked for. */
  readonly smallTalk: readonly string[];
  /** Lead over to something said in passing. */
  readonly bridges: readonly string[];
  /** How the assistant takes up what was said in passing, perhaps repeating it as {said}. */
  readonly thanks: readonly string[];
  readonly blocks: readonly string[];
}

export interface Topic {
  readonly name: string;
  readonly things: readonly string[];
  readonly asks: readonly string[];
  readonly tips: readonly string[];
}
