import { FTS5_CONVERSATIONS, FTS5_ROUNDS } from "./fts5.ts";
import { ORCHD } from "./orchd-adapter.ts";
import type { SystemKind } from "./system.ts";

export const SYSTEMS: readonly SystemKind[] = [ORCHD, FTS5_CONVERSATIONS, FTS5_ROUNDS];
