import type { NodeType } from "../memory/social-graph.ts";

/** What a round says, as an extractor sees it: to be judged before it is believed. */
export interface Extraction {
  readonly facts: readonly ExtractedFact[];
  readonly people: readonly ExtractedNode[];
  /** Null where nothing better than the round's first words was found. */
  readonly episode: { readonly key: string; readonly description: string; readonly importance: number } | null;
}

/** Of the subject "user" it is the user's own. */
export interface ExtractedFact {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  /** A sentence that says it. */
  readonly content: string;
  /** It is said that it is not, or no longer, so. */
  readonly negated: boolean;
  /** Whether a subject has one such object at a time, where the predicate is not a known one. */
  readonly single: boolean;
  /** Since when, or when; null: as of when it was said. */
  readonly validFrom: number | null;
  readonly importance: number;
  readonly confidence: number;
  /** Whose words it goes back to. */
  readonly saidBy: "user" | "assistant" | "note";
  /** The words that say it. */
  readonly evidence: string;
}

export interface ExtractedNode {
  readonly name: string;
  readonly type: NodeType;
  /** What they are to the user, as in "sister"; null where nobody said. */
  readonly relation: string | null;
  readonly aliases: readonly string[];
}

export const NOTHING: Extraction = { facts: [], people: [], episode: null };
export const USER = "user";
