import { sql } from "kysely";
import { newWebhookSecret } from "../../contract/orchestrator/webhook-signature.ts";
import type { Trx } from "./database.ts";
import type { SealedBox } from "./sealed-box.ts";

/** A hook never calls without a signature: with the first one comes a secret, which nobody knows until it is replaced. */
export async function giveToolHookSecret(
  { box }: { readonly box: SealedBox },
  trx: Trx,
  productId: string,
): Promise<void> {
  await trx
    .updateTable("products")
    .set({ tool_hook_secret: box.seal(newWebhookSecret()) })
    .where("id", "=", productId)
    .where("tool_hook_secret", "is", null)
    .execute();
}

/** Makes `secret` the current one. Calls are signed with both for `graceS` seconds. */
export async function replaceToolHookSecret(
  trx: Trx,
  productId: string,
  { secret, graceS }: { readonly secret: Buffer; readonly graceS: number },
): Promise<void> {
  await trx
    .updateTable("products")
    .set((eb) => ({
      tool_hook_previous_secret: eb.ref("tool_hook_secret"),
      tool_hook_previous_expires_at: sql<Date>`now() + make_interval(secs => ${graceS})`,
      tool_hook_secret: secret,
    }))
    .where("id", "=", productId)
    .execute();
}
