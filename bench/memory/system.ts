import type { Talk } from "./history.ts";

/** A memory under test, held by an adapter. One is opened for each history. */
export interface System {
  /** Takes all conversations in, and everything that is meant to be ready before the first question. */
  load(talk: Talk): Promise<void>;
  search(asked: Search): Promise<Found>;
  close(): Promise<void>;
}

export interface Search {
  readonly query: string;
  /** When it is asked, ISO 8601: after the last conversation. */
  readonly now: string;
  readonly limit: number;
}

export interface Found {
  /** The best first. */
  readonly hits: readonly Hit[];
  /** The memory says that it holds no answer. The hits then count as not returned, whatever they are. */
  readonly nothingRelevant?: boolean;
}

export interface Hit {
  /**
   * What the hit stands for: ids of rounds ("c3/2"), or of a whole conversation ("c3"). A fact stands for the rounds it was
   * learned from.
   */
  readonly of: readonly string[];
  /** What a model would be given to read, for the count of tokens. */
  readonly text: string;
}

/** How a system is made; the name is what `--system` takes. */
export interface SystemKind {
  readonly name: string;
  open(): Promise<System>;
}
