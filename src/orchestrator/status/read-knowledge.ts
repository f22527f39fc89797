import type {
  KnowledgeDocument,
  KnowledgeDocumentShown,
  ProductKnowledge,
} from "../../contract/orchestrator/knowledge.ts";
import { ApiError } from "../api-error.ts";
import type { HostContext } from "../host-context.ts";
import { findDocument, listDocuments } from "../store/knowledge.ts";
import { type Product, findProduct } from "../store/products.ts";
import { embeddingsOf } from "./product-embeddings.ts";
import { openDocument } from "./document-content.ts";
import { productNotFound } from "./look-up-product.ts";

type Host = Pick<HostContext, "db" | "box" | "settings" | "backend" | "embeddings">;

export async function productKnowledge(host: Host, { record: { id } }: Product): Promise<ProductKnowledge> {
  const product = (await findProduct(host.db, id)) ?? productNotFound(id);
  const documents = await listDocuments(host.db, id);
  return {
    version: product.knowledge.version,
    documents,
    embeddings: await embeddingsStatus(host, product, documents),
  };
}

/** How far the vectors are. Those of another model count as none. */
async function embeddingsStatus(
  host: Host,
  product: Product,
  documents: ProductKnowledge["documents"],
): Promise<ProductKnowledge["embeddings"]> {
  const model = embeddingsOf(host, product)?.model;
  if (model === undefined) return null;
  const { id } = product.record;
  const passages = documents.reduce((sum, one) => sum + one.passages, 0);
  const { digest } = product.knowledge;
  const file = digest === null ? null : await host.backend.knowledge.find(id, digest);
  const made = file?.model === model ? file : { embedded: 0, waiting: passages };
  return { model, embedded: made.embedded, waiting: made.waiting, last_error: host.embeddings.errorOf(id) };
}

export async function documentRecord(
  { db }: Pick<HostContext, "db">,
  productId: string,
  path: string,
): Promise<KnowledgeDocument> {
  return (await findDocument(db, productId, path)) ?? documentNotFound(path);
}

/** A document with what was read of it. */
export async function documentShown(
  host: Pick<HostContext, "db" | "box">,
  productId: string,
  path: string,
): Promise<KnowledgeDocumentShown> {
  const record = await documentRecord(host, productId, path);
  const { passages } = (await openDocument(host, productId, path)) ?? documentNotFound(path);
  return { ...record, content: passages };
}

export function documentNotFound(path: string): never {
  throw new ApiError("KNOWLEDGE_DOCUMENT_NOT_FOUND", `the product's knowledge has no document ${path.slice(0, 300)}`);
}
