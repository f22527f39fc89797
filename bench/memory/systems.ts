import { FTS5_CONVERSATIONS, FTS5_ROUNDS } from "./fts5.ts";
import { ORCHD, ORCHD_ANSWERS, ORCHD_EMBEDDINGS } from "./orchd-adapter.ts";
import type { SystemKind } from "./system.ts";

export const SYSTEMS: readonly SystemKind[] = [ORCHD, ORCHD_ANSWERS, ORCHD_EMBEDDINGS, FTS5_CONVERSATIONS, FTS5_ROUNDS];
