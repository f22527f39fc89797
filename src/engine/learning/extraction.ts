import type { Round } from "../memory/rounds-to-learn.ts";
import type { NodeType } from "../memory/social-graph.ts";
import type { Stopped } from "./ask-model.ts";

/** What an extractor found in a round, before verification. */
export interface Extraction {
  readonly facts: readonly ExtractedFact[];
  readonly people: readonly ExtractedNode[];
  /** Null keeps the round's own key and description. */
  readonly episode: { readonly key: string; readonly description: string; readonly importance: number } | null;
}

/** A statement about a subject; "user" is the user. */
export interface ExtractedFact {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  /** The fact as a sentence. */
  readonly content: string;
  /** The fact is stated not to hold, or no longer. */
  readonly negated: boolean;
  /** Whether a subject has one such object at a time, where the predicate is not a known one. */
  readonly single: boolean;
  /** Start of validity in ms; null for the time of the round. */
  readonly validFrom: number | null;
  readonly importance: number;
  readonly confidence: number;
  /** Whose statement it is. */
  readonly speaker: "user" | "assistant" | "note";
  /** The text that supports it. */
  readonly evidence: string;
}

export interface ExtractedNode {
  readonly name: string;
  readonly type: NodeType;
  /** Relation to the user, such as "sister"; null when not stated. */
  readonly relation: string | null;
  readonly aliases: readonly string[];
}

export const NOTHING: Extraction = { facts: [], people: [], episode: null };
export const USER = "user";

export type ExtractedChunk =
  /** By turn id. A missing turn stays for the next batch. */
  { readonly kind: "extracted"; readonly extractions: ReadonlyMap<string, Extraction> } | Stopped;

/** Extracts facts and entities from rounds. It neither stores nor verifies them. */
export type Extractor = (rounds: readonly Round[], signal: AbortSignal) => Promise<ExtractedChunk>;

/** Without a usable model, rounds are stored and no facts are learned. */
export const nothingExtracted = (rounds: readonly Round[]): ExtractedChunk => ({
  kind: "extracted",
  extractions: new Map(rounds.map(({ trajectory }) => [trajectory.turnId, NOTHING])),
});
