import { FTS5_CONVERSATIONS, FTS5_ROUNDS } from "./fts5.ts";
import { ORCHD, ORCHD_ANSWERS, ORCHD_EMBEDDINGS, ORCHD_EMBEDDINGS_ANSWERS } from "./orchd-adapter.ts";
import type { SystemKind } from "./system.ts";

export const SYSTEMS: readonly SystemKind[] = [
  ORCHD,
  ORCHD_ANSWERS,
  ORCHD_EMBEDDINGS,
  ORCHD_EMBEDDINGS_ANSWERS,
  FTS5_CONVERSATIONS,
  FTS5_ROUNDS,
];
