import { type EmbeddingsEndpoint, readEmbeddings } from "../../contract/settings/embeddings-endpoint.ts";
import { EnvironmentReader } from "../../shared/environment.ts";
import type { HostContext } from "../host-context.ts";
import { openEngineEnv } from "../store/engine-env.ts";
import type { Product } from "../store/products.ts";

/** Where the product's documents get their vectors: where its engines' memories get theirs. Null without an endpoint. */
export function embeddingsOf(
  host: Pick<HostContext, "box" | "settings">,
  product: Pick<Product, "sealedEngineEnv">,
): EmbeddingsEndpoint | null {
  const read = new EnvironmentReader({ ...host.settings.engineDefaults, ...openEngineEnv(host, product) });
  const endpoint = readEmbeddings(read, () => undefined);
  // Engines do not start with an address that is none.
  return endpoint !== null && URL.canParse(endpoint.url) ? endpoint : null;
}
