import type { KnowledgeDocumentDeleted } from "../../contract/orchestrator/knowledge.ts";
import type { EngineHost } from "../host-context.ts";
import { productNotFound } from "../status/look-up-product.ts";
import { documentNotFound } from "../status/read-knowledge.ts";
import { advanceKnowledge, deleteDocument as deleteRow, lockKnowledge } from "../store/knowledge.ts";
import type { Product } from "../store/products.ts";
import { rollOutKnowledge } from "../supervision/reload-knowledge.ts";
import { recordKnowledgeChange } from "./put-document.ts";

/** Deletes a document of a product's knowledge. Tested in test/end-to-end/product-knowledge.test.ts. */
export async function deleteDocument(
  host: EngineHost,
  product: Product,
  path: string,
): Promise<KnowledgeDocumentDeleted> {
  const { id } = product.record;
  const version = await host.db.transaction().execute(async (trx) => {
    const current = (await lockKnowledge(trx, id)) ?? productNotFound(id);
    if (!(await deleteRow(trx, id, path))) return documentNotFound(path);
    const next = await advanceKnowledge(trx, id, current.version);
    await recordKnowledgeChange(host, trx, { productId: id, data: { path, version: next.version, deleted: true } });
    return next.version;
  });
  host.directory.changed();
  rollOutKnowledge(host, id);
  return { deleted: true, version };
}
