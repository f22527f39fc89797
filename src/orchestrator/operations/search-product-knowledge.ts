import type { KnowledgeFound } from "../../contract/engine/knowledge-result.ts";
import { ApiError } from "../api-error.ts";
import type { EngineHost } from "../host-context.ts";
import type { Product } from "../store/products.ts";
import { knowledgeEndpoint } from "../supervision/knowledge-endpoint.ts";
import { prepareKnowledge } from "../supervision/prepare-knowledge.ts";

/** Another version came during each try. */
const TRIES = 3;

/** Searches a product's knowledge as its engines do. */
export async function searchProductKnowledge(
  host: EngineHost,
  product: Product,
  options: { readonly query: string; readonly limit: number },
): Promise<KnowledgeFound> {
  const { id: productId } = product.record;
  for (let left = TRIES; left > 0; left--) {
    const current = await host.directory.knowledgeOf(productId);
    if (current === null || current.digest === null) return { results: [] };
    const file = await prepareKnowledge(host, productId, current);
    if (file !== null)
      return host.backend.knowledge.search(productId, file.name, {
        ...options,
        endpoint: knowledgeEndpoint(host, product),
      });
  }
  throw new ApiError("SERVICE_UNAVAILABLE", "documents are being stored; search again after that");
}
