import { PLATFORM_KEY_PREFIX, plausibleKey, sha256 } from "../../contract/api-keys.ts";
import { ApiError } from "../api-error.ts";
import type { Product } from "../store/products.ts";
import type { HostContext } from "../host-context.ts";

export type { Product };

/**
 * The product whose platform key this is. Missing, malformed and unknown keys answer alike. The look-up is by
 * SHA-256, so its time tells nothing of a key: two keys that share a beginning share nothing of their hashes.
 */
export async function identifyProduct(
  host: Pick<HostContext, "directory" | "now">,
  key: string | undefined,
): Promise<Product> {
  const product =
    key !== undefined && plausibleKey(PLATFORM_KEY_PREFIX, key)
      ? await host.directory.find(sha256(key), host.now())
      : null;
  if (product === null) throw new ApiError("INVALID_PLATFORM_KEY", "the platform key is missing or not known");
  return product;
}
