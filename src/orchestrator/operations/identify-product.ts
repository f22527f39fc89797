import { PLATFORM_KEY_PREFIX, plausibleKey, sha256 } from "../../contract/orchestrator/api-keys.ts";
import { ApiError } from "../api-error.ts";
import type { Product } from "../store/products.ts";
import type { HostContext } from "../host-context.ts";
import { CONSOLE_PRODUCT_HEADER } from "../../contract/console/session-limits.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { productNotFound } from "../status/look-up-product.ts";

export type { Product };

/**
 * Finds the product of a platform key. Missing, malformed and unknown keys throw the same INVALID_PLATFORM_KEY. The
 * look-up is by SHA-256, so its timing reveals nothing about the key.
 */
export async function identifyProduct(
  host: Pick<HostContext, "directory" | "now">,
  key: string | undefined,
): Promise<Product> {
  const product =
    key !== undefined && plausibleKey(PLATFORM_KEY_PREFIX, key)
      ? await host.directory.find(sha256(key), host.now())
      : null;
  if (product === null)
    throw new ApiError("INVALID_PLATFORM_KEY", "X-Platform-Key: the platform key is missing or unknown");
  return product;
}

/** The product of a console session's call, which names it by its id or slug. */
export async function productOfSession(
  { directory }: Pick<HostContext, "directory">,
  idOrSlug: string | undefined,
): Promise<Product> {
  if (idOrSlug === undefined) throw new InvalidInput(CONSOLE_PRODUCT_HEADER, "expected the id or slug of a product");
  return (await directory.named(idOrSlug)) ?? productNotFound(idOrSlug);
}
