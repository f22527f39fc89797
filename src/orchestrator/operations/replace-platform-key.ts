import type { ProductRecord } from "../../contract/orchestrator-api.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { findProduct } from "../store/products.ts";
import { replaceProductKey } from "../store/product-keys.ts";
import { changeProduct } from "./change-product.ts";
import type { HostContext } from "../host-context.ts";

/**
 * Rotates a platform key. The daemon receives only the hash of the new key. The old key stays valid for `graceS` seconds.
 * Tested in test/end-to-end/orchestrator-errors.test.ts and test/cli/products.test.ts.
 */
export function replacePlatformKey(
  host: Pick<HostContext, "db" | "events" | "directory" | "box">,
  idOrSlug: string,
  key: {
    readonly hash: string;
    readonly prefix: string | null;
    readonly last4: string | null;
    readonly graceS: number;
  },
): Promise<ProductRecord> {
  return changeProduct(host, idOrSlug, {
    type: "product.key_rotated",
    detail: { prefix: key.prefix, last4: key.last4, grace_s: key.graceS },
    change: async (trx, product) => {
      if (!(await replaceProductKey(trx, product.record.id, key))) {
        throw new InvalidInput("api_key_hash", "another product has a key with this hash");
      }
      return findProduct(trx, product.record.id);
    },
  });
}
