import type { Coverage } from "./coverage.ts";
import type { StoredItem } from "./stored-items.ts";

/** An item that may be what is asked for. */
export interface Candidate {
  readonly item: StoredItem;
  readonly coverage: Coverage;
  readonly score: number;
  /** How far it lies nearer to the question than all others, where there are vectors: in deviations. */
  readonly lead: number;
}
