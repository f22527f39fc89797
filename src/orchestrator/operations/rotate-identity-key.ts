import type { IdentityKeyRotation } from "../../contract/orchestrator/identity-token.ts";
import { ApiError } from "../api-error.ts";
import type { HostContext } from "../host-context.ts";
import { LEAD_S, OVERLAP_S, newIdentityKey } from "../status/identity-tokens.ts";
import { appendAudit } from "../store/audit-log.ts";
import type { Trx } from "../store/database.ts";
import { addNextIdentityKey, findIdentityKeys, replaceIdentityKeys } from "../store/identity-keys.ts";

/**
 * Publishes a new key that signs a little later, when products know it. While one waits, another call changes nothing.
 * `atOnce` withdraws every key, because one may have leaked.
 */
export async function rotateIdentityKey(
  host: Pick<HostContext, "db" | "events" | "box" | "identityTokens">,
  { atOnce }: { readonly atOnce: boolean },
): Promise<IdentityKeyRotation> {
  // The first key exists, also when no token was signed yet.
  await host.identityTokens.published();
  const rotation = await host.db.transaction().execute(async (trx) => {
    const before = (await findIdentityKeys(trx, OVERLAP_S)).find(({ isNewest }) => isNewest);
    const isWaiting = before !== undefined && !before.signs;
    if (atOnce) await replaceIdentityKeys(trx, newIdentityKey(host.box));
    else if (!isWaiting && before !== undefined) {
      const times = { leadS: LEAD_S, overlapS: OVERLAP_S };
      const isAdded = await addNextIdentityKey(trx, newIdentityKey(host.box), { replaces: before.kid, ...times });
      if (!isAdded) throw new ApiError("OPERATION_IN_PROGRESS", "the key is being rotated by another call");
    }
    const made = await rotationIn(trx);
    if (atOnce || !isWaiting) {
      const detail = { kid: made.kid, replaces: made.replaces, at_once: atOnce };
      await appendAudit(trx, { action: "host.identity_key_rotated", detail });
      await host.events.insert(trx, { type: "host.identity_key_rotated", reason: "request", data: detail });
    }
    return made;
  });
  host.identityTokens.forget();
  return rotation;
}

async function rotationIn(trx: Trx): Promise<IdentityKeyRotation> {
  const keys = await findIdentityKeys(trx, OVERLAP_S);
  const newest = keys.find(({ isNewest }) => isNewest);
  if (newest === undefined) throw new Error("no key signs identity tokens");
  const signer = keys.find(({ signs }) => signs);
  return {
    kid: newest.kid,
    signs_from: newest.signsFrom.toISOString(),
    replaces: signer === undefined || signer.kid === newest.kid ? null : signer.kid,
    published: keys.length,
  };
}
