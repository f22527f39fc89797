import { knowledgeCaller } from "../../contract/broker/call-key.ts";
import type { CalledEndpoint } from "../fleet/knowledge-storage.ts";
import type { HostContext } from "../host-context.ts";
import { embeddingsOf } from "../status/product-embeddings.ts";
import type { Product } from "../store/products.ts";
import { brokeredEndpoint } from "./brokered-settings.ts";

/** The endpoint as the program of knowledge calls it: through the broker, with a key that only that can read, where there is one. */
export function knowledgeEndpoint(
  host: Pick<HostContext, "box" | "broker" | "settings">,
  product: Pick<Product, "record" | "sealedEngineEnv">,
): CalledEndpoint | null {
  const endpoint = embeddingsOf(host, product);
  if (endpoint === null) return null;
  const { broker, settings } = host;
  if (broker === null) return { ...endpoint, extraCaCerts: settings.extraCaCerts };
  const brokered = brokeredEndpoint(endpoint, knowledgeCaller(product.record.id), broker.access());
  return { model: endpoint.model, ...brokered, extraCaCerts: null };
}
