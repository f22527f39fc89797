import { sql } from "kysely";
import type { EndUsers } from "../../contract/orchestrator/end-users.ts";
import type { EngineLayers } from "../../contract/orchestrator/engine-policy.ts";
import type { Db } from "./database.ts";
import { layersOf } from "./planned-policy.ts";

/** A product's identity provider of end users. */
export interface ProductIssuer extends EndUsers {
  readonly productId: string;
  readonly privateHosts: readonly string[];
}

/** The identity providers of all products. */
export async function findIssuers(db: Db): Promise<readonly ProductIssuer[]> {
  const rows = await db
    .selectFrom("products")
    .select(["id", "policy"])
    .where(sql<boolean>`policy -> 'end_users' ->> 'issuer' is not null`)
    .execute();
  return rows.flatMap(({ id, policy: { end_users: users, private_hosts: hosts } }) =>
    users === null ? [] : [{ ...users, productId: id, privateHosts: hosts ?? [] }],
  );
}

/** The engine of a user, and until when tokens of the product's identity provider are revoked. Null when there is none. */
export async function findUsersEngine(
  db: Db,
  productId: string,
  userId: string,
): Promise<{ readonly engineId: string; readonly revokedAt: number; readonly layers: EngineLayers } | null> {
  const row = await db
    .selectFrom("engines")
    .select(["id", "tokens_revoked_at", "plan", "own_policy", "policy_changes"])
    .where("product_id", "=", productId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  if (row === undefined) return null;
  return { engineId: row.id, revokedAt: row.tokens_revoked_at?.getTime() ?? 0, layers: layersOf(row) };
}
