/** One thing that search can find. */
export interface IndexedItem {
  /** A round of a conversation, a fact, or an entry of working memory. */
  readonly kind: "episode" | "fact" | "note";
  /** The episode's or fact's id, or `note:` and the entry's number. */
  readonly ref: string;
  readonly taskId: string | null;
  readonly turnId: string | null;
  /** Milliseconds since the epoch. */
  readonly eventTime: number;
  readonly importance: number;
  readonly trust: number;
  /** Whether it is still believed: a closed fact is not. */
  readonly live: boolean;
  /** What else it should be found by: the facts of a round, the names in it. */
  readonly keys: string;
  readonly title: string;
  readonly body: string;
}

/** Both write within the caller's transaction. */
export interface MemoryIndex {
  /** In the place of what was there under the same `ref`. */
  put(item: IndexedItem): void;
  remove(ref: string): void;
}
