import { DEFAULT_POLICY, type PolicyPatch, type ProductRecord } from "../../contract/orchestrator/requests.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { newId } from "../../shared/ids.ts";
import { PLATFORM_KEY_PREFIX, newKey, storedKey } from "../../contract/orchestrator/api-keys.ts";
import { ApiError } from "../api-error.ts";
import { type ProductKey, findProduct, insertProduct } from "../store/products.ts";
import {
  assertEndUsersUrl,
  assertToolHookUrl,
  assertToolPorts,
  describePatch,
  patchedPolicy,
  recordProductChange,
} from "./change-product.ts";
import { giveToolHookSecret } from "../store/tool-hook-secrets.ts";
import { refuseSharedIssuer } from "./refuse-shared-issuer.ts";
import { changeEngineEnv } from "../store/engine-env.ts";
import type { HostContext } from "../host-context.ts";
import { productRecord } from "../status/look-up-product.ts";

interface Registered {
  readonly record: ProductRecord;
  /** Returned once. Only its hash is stored. Null for a key that the caller has made. */
  readonly platformApiKey: string | null;
}

/** Registers a product and creates its platform key, unless the hash of one is given. Tested in test/cli/products.test.ts. */
export async function registerProduct(
  host: Pick<HostContext, "db" | "events" | "directory" | "box" | "settings">,
  request: {
    readonly slug: string;
    readonly name?: string | undefined;
    readonly policy?: PolicyPatch | undefined;
    readonly key?: ProductKey | undefined;
  },
): Promise<Registered> {
  assertToolPorts(host, request.policy ?? {}, "policy.");
  const { key, platformApiKey } =
    request.key === undefined ? newPlatformKey() : { key: request.key, platformApiKey: null };
  const id = newId("prd");
  const env = changeEngineEnv(host, { sealedEngineEnv: null }, request.policy?.engine_env);
  const inserted = await host.db.transaction().execute(async (trx) => {
    const policy = patchedPolicy(DEFAULT_POLICY, request.policy ?? {});
    assertEndUsersUrl(policy, "policy.");
    assertToolHookUrl(policy, "policy.");
    const product = { id, slug: request.slug, name: request.name ?? null, policy, ...env, key };
    const outcome = await refuseSharedIssuer("policy.end_users", () => insertProduct(trx, product));
    if (outcome === "slug_taken") return false;
    if (outcome === "key_taken") throw new InvalidInput("api_key_hash", "another product has a key with this hash");
    if (policy.tool_hook !== null) await giveToolHookSecret(host, trx, id);
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

function newPlatformKey() {
  const platformApiKey = newKey(PLATFORM_KEY_PREFIX);
  return { key: storedKey(platformApiKey), platformApiKey };
}
