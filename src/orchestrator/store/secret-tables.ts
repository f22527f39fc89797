import type { Generated, Selectable } from "kysely";
import type { SecretPlace } from "../../contract/orchestrator/secret-limits.ts";

export interface DataKeysTable {
  product_id: string;
  /** Sealed with the deployment's secret key. */
  sealed: Buffer;
}

export interface SecretsTable {
  product_id: string;
  /** Empty for a secret of the product. */
  user_id: string;
  name: string;
  /** The value, sealed with the product's data key. Null: the daemon reads it from `source`. */
  sealed: Buffer | null;
  source: string | null;
  hosts: string[];
  place: SecretPlace;
  header: string | null;
  prefix: string | null;
  hash_prefix: string | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  last_used_at: Generated<Date | null>;
}
export type SecretRow = Selectable<SecretsTable>;
