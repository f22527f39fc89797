import type { KnowledgeFound } from "../../contract/engine/knowledge-result.ts";
import { ApiError } from "../api-error.ts";
import type { EngineHost } from "../host-context.ts";
import { prepareKnowledge } from "../supervision/prepare-knowledge.ts";

/** Another version came during each try. */
const TRIES = 3;

/** Searches a product's knowledge as its engines do. */
export async function searchProductKnowledge(
  host: EngineHost,
  productId: string,
  options: { readonly query: string; readonly limit: number },
): Promise<KnowledgeFound> {
  for (let left = TRIES; left > 0; left--) {
    const current = await host.directory.knowledgeOf(productId);
    if (current === null || current.digest === null) return { results: [] };
    if (await prepareKnowledge(host, productId, current))
      return host.backend.knowledge.search(productId, current.digest, options);
  }
  throw new ApiError("SERVICE_UNAVAILABLE", "documents are being stored; search again after that");
}
