import { platformKeyHashRequest, policyPatch, registerRequest } from "../../contract/orchestrator/requests.ts";
import { deleteProduct } from "../operations/delete-product.ts";
import { lookUpProduct, pageOfProducts } from "../status/look-up-product.ts";
import type { EngineHost, Service } from "../host-context.ts";
import { registerProduct } from "../operations/register-product.ts";
import { replacePlatformKey, setPolicy } from "../operations/change-product.ts";
import { toolHookSecretRequest } from "../../contract/orchestrator/tool-hook-schemas.ts";
import { rotateToolHookSecret } from "../operations/rotate-tool-hook-secret.ts";
import { flagParameter } from "../../shared/http/parameters.ts";
import { type Call, type Handler, pageOf, pageParameters } from "./call.ts";

const productId = (call: Call): string => call.params["product_id"] ?? "";

export function productRoutes(host: EngineHost & Service) {
  return {
    registerProduct: async (call) => {
      const { api_key_hash: hash, key_prefix, key_last4, ...product } = call.body(registerRequest);
      const key = hash === undefined ? undefined : { hash, prefix: key_prefix ?? null, last4: key_last4 ?? null };
      const { record, platformApiKey } = await registerProduct(host, { ...product, key });
      return { status: 201, body: { ...record, platform_api_key: platformApiKey }, secret: true };
    },
    listProducts: (call) => {
      const page = pageParameters(call, "prd");
      return call.list(async () => pageOf(await pageOfProducts(host, page), page.limit));
    },
    showProduct: async (call) => ({ status: 200, body: await lookUpProduct(host, productId(call)) }),
    deleteProduct: async (call) => {
      await deleteProduct(host, productId(call), { force: flagParameter(call, "force") });
      return { status: 200, body: { deleted: true } };
    },
    setPolicy: async (call) => {
      const patch = call.body(policyPatch);
      return { status: 200, body: await setPolicy(host, productId(call), patch) };
    },
    rotateToolHookSecret: async (call) => {
      const { secret, grace_s: graceS = 0 } = call.body(toolHookSecretRequest);
      return { status: 200, body: await rotateToolHookSecret(host, productId(call), { secret, graceS }), secret: true };
    },
    setPlatformKeyHash: async (call) => {
      const key = call.body(platformKeyHashRequest);
      const record = await replacePlatformKey(host, productId(call), {
        hash: key.api_key_hash,
        prefix: key.key_prefix ?? null,
        last4: key.key_last4 ?? null,
        graceS: key.grace_s ?? 0,
      });
      return { status: 200, body: record };
    },
  } satisfies Record<string, Handler>;
}
