/** One question of the user and its answer; its id is conversation/round. */
export interface Round {
  readonly id: string;
  readonly user: string;
  readonly assistant: string;
}

export interface Conversation {
  readonly id: string;
  /** When it began, ISO 8601 in UTC. */
  readonly date: string;
  readonly rounds: readonly Round[];
}

/** What a system under test is given: never the questions. */
export interface Talk {
  readonly id: string;
  readonly conversations: readonly Conversation[];
}

export const ABILITIES = ["extraction", "multi", "temporal", "updates", "abstention"] as const;
export type Ability = (typeof ABILITIES)[number];

/** A round that must be found, and the words in it that answer. */
export interface Evidence {
  /** The id of a whole conversation if a published file does not say which of its rounds. */
  readonly round: string;
  readonly holds: string;
}

export interface Question {
  readonly id: string;
  readonly ability: Ability;
  /** What sort of question within the ability, e.g. "preference" or "order". */
  readonly kind: string;
  readonly text: string;
  /** When it is asked: after the last conversation. */
  readonly now: string;
  /** Empty if nothing ever said answers it. */
  readonly evidence: readonly Evidence[];
  /** Rounds that say what was true before: whatever is current must rank above them. */
  readonly outdated: readonly Evidence[];
  /** Of a question without an answer: words that no round of the history has together. */
  readonly never: readonly string[];
}

export interface History extends Talk {
  readonly questions: readonly Question[];
}

export const conversationOf = (id: string): string => id.split("/")[0] ?? id;

/** The usual measure where no tokenizer is at hand. */
export const tokensOf = (text: string): number => text.length / 4;

export const textOf = ({ user, assistant }: Round): string => `${user}\n${assistant}`;
