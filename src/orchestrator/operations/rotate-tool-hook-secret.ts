import { newWebhookSecret } from "../../contract/orchestrator/webhook-signature.ts";
import type { HostContext } from "../host-context.ts";
import { findProduct } from "../store/products.ts";
import { replaceToolHookSecret } from "../store/tool-hook-secrets.ts";
import { changeProduct } from "./change-product.ts";

/** Replaces the secret that signs calls of a product's hook. Only this response contains it. */
export async function rotateToolHookSecret(
  host: Pick<HostContext, "db" | "events" | "directory" | "box">,
  idOrSlug: string,
  { secret = newWebhookSecret(), graceS }: { readonly secret?: string | undefined; readonly graceS: number },
): Promise<{ readonly secret: string }> {
  const sealed = host.box.seal(secret);
  await changeProduct(host, idOrSlug, {
    type: "product.hook_secret_rotated",
    detail: { grace_s: graceS },
    change: async (trx, product) => {
      await replaceToolHookSecret(trx, product.record.id, { secret: sealed, graceS });
      return findProduct(trx, product.record.id);
    },
  });
  return { secret };
}
