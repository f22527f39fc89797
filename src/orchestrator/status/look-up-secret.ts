import type { SecretRecord } from "../../contract/orchestrator/secret.ts";
import { ApiError } from "../api-error.ts";
import type { HostContext } from "../host-context.ts";
import type { SecretRow } from "../store/secret-tables.ts";
import { type SecretKey, type SecretOwner, findSecret, listSecrets } from "../store/secrets.ts";

export const secretNotFound = (): ApiError => new ApiError("SECRET_NOT_FOUND", "there is no secret with this name");

export const secretsOf = async (
  { db }: Pick<HostContext, "db">,
  owner: SecretOwner,
): Promise<{ readonly secrets: readonly SecretRecord[] }> => ({
  secrets: (await listSecrets(db, owner)).map(secretRecord),
});

export async function lookUpSecret({ db }: Pick<HostContext, "db">, key: SecretKey): Promise<SecretRecord> {
  const row = await findSecret(db, key);
  if (row === null) throw secretNotFound();
  return secretRecord(row);
}

/** Without the value, sealed or not. */
export const secretRecord = (row: SecretRow): SecretRecord => ({
  name: row.name,
  hosts: row.hosts,
  place: row.place,
  header: row.header,
  prefix: row.prefix,
  from: row.source,
  hash_prefix: row.hash_prefix,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
});
