import type { ProductRecord } from "../../contract/orchestrator-api.ts";
import { plainSettings } from "../../contract/engine-env.ts";
import type { Product } from "../store/products.ts";
import { openEngineEnv } from "../store/engine-env.ts";
import type { HostContext } from "../host-context.ts";

/** A product as admins see it, with the engine settings that hold no secret. */
export const productRecord = (host: Pick<HostContext, "box">, product: Product): ProductRecord => ({
  ...product.record,
  engine_env_values: plainSettings(readableEnv(host, product)),
});

function readableEnv(host: Pick<HostContext, "box">, product: Product): Record<string, string> {
  try {
    return openEngineEnv(host, product);
  } catch {
    // Sealed with another ORCH_SECRET_KEY. Starting an engine reports it. The record stays readable.
    return {};
  }
}
