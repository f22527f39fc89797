import type { ColumnType } from "kysely";
import type { KnowledgeType } from "../../contract/orchestrator/knowledge-limits.ts";
import type { Actor } from "../../contract/orchestrator/event-types.ts";

export interface KnowledgeDocumentsTable {
  product_id: string;
  path: string;
  title: string;
  media_type: KnowledgeType;
  bytes: number;
  sha256: string;
  passages: number;
  text_bytes: number;
  /** Sealed with the deployment's secret key. */
  content: Buffer;
  content_digest: string;
  actor: Actor;
  created_at: ColumnType<Date, Date | undefined, never>;
  updated_at: ColumnType<Date, Date | undefined, Date>;
}
