import { DEFAULT_POLICY, type PolicyPatch, type ProductRecord } from "../../contract/orchestrator-api.ts";
import { newId } from "../../shared/ids.ts";
import { PLATFORM_KEY_PREFIX, newKey, storedKey } from "../../contract/api-keys.ts";
import { ApiError } from "../api-error.ts";
import { findProduct, insertProduct } from "../store/products.ts";
import { assertToolPorts, describePatch, patchedPolicy, recordProductChange } from "./change-product.ts";
import { changeEngineEnv } from "../store/engine-env.ts";
import type { HostContext } from "../host-context.ts";
import { productRecord } from "../status/look-up-product.ts";

interface Registered {
  readonly record: ProductRecord;
  /** Returned once. Only its hash is stored. */
  readonly platformApiKey: string;
}

/** Registers a product and creates its platform key. Tested in test/cli/products.test.ts. */
export async function registerProduct(
  host: Pick<HostContext, "db" | "events" | "directory" | "box" | "settings">,
  request: { readonly slug: string; readonly name?: string | undefined; readonly policy?: PolicyPatch | undefined },
): Promise<Registered> {
  assertToolPorts(host, request.policy ?? {}, "policy.");
  const platformApiKey = newKey(PLATFORM_KEY_PREFIX);
  const id = newId("prd");
  const env = changeEngineEnv(host, { sealedEngineEnv: null }, request.policy?.engine_env);
  const key = storedKey(platformApiKey);
  const inserted = await host.db.transaction().execute(async (trx) => {
    const product = {
      id,
      slug: request.slug,
      name: request.name ?? null,
      policy: patchedPolicy(DEFAULT_POLICY, request.policy ?? {}),
      ...env,
      key,
    };
    if (!(await insertProduct(trx, product))) return false;
    const detail = {
      slug: request.slug,
      policy: describePatch(request.policy ?? {}),
      prefix: key.prefix,
      last4: key.last4,
    };
    await recordProductChange(host, trx, { productId: id, type: "product.registered", detail });
    return true;
  });
  if (!inserted) throw new ApiError("PRODUCT_ALREADY_EXISTS", `the slug ${request.slug} is taken`);
  host.directory.changed();
  const product = await findProduct(host.db, id);
  if (product === null) throw new ApiError("PRODUCT_NOT_FOUND", "the product was deleted as soon as it was registered");
  return { record: productRecord(host, product), platformApiKey };
}
