import type { Coverage } from "./coverage.ts";
import type { StoredItem } from "./stored-items.ts";

/** An item that may be what is asked for. */
export interface Candidate {
  readonly item: StoredItem;
  readonly coverage: Coverage;
  readonly score: number;
}
