/** An entry of the full-text index. */
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
  /** False for a closed fact. */
  readonly live: boolean;
  /** More terms to find it by: the facts of a round and the names in it. */
  readonly keys: string;
  readonly title: string;
  readonly body: string;
}

/** Both methods write within the caller's transaction. */
export interface MemoryIndex {
  /** Replaces the entry of the same `ref`. */
  put(item: IndexedItem): void;
  remove(ref: string): void;
}
