import type { ColumnType, JSONColumnType } from "kysely";
import type { CatalogFile } from "../../contract/catalog-records.ts";
import type { Actor } from "../../contract/orchestrator-events.ts";

export interface CatalogArchivesTable {
  product_id: string;
  digest: string;
  /** Sealed with the deployment's secret key. */
  archive: Buffer;
}

export interface CatalogVersionsTable {
  product_id: string;
  version: number;
  digest: string | null;
  files: JSONColumnType<CatalogFile[]>;
  bytes: number;
  restored_from: number | null;
  actor: Actor;
  created_at: ColumnType<Date, Date | undefined, never>;
}
