import type {
  KnowledgeDocument,
  KnowledgeDocumentShown,
  ProductKnowledge,
} from "../../contract/orchestrator/knowledge.ts";
import { ApiError } from "../api-error.ts";
import type { HostContext } from "../host-context.ts";
import { findDocument, listDocuments } from "../store/knowledge.ts";
import { findProduct } from "../store/products.ts";
import { openDocument } from "./document-content.ts";
import { productNotFound } from "./look-up-product.ts";

export async function productKnowledge({ db }: Pick<HostContext, "db">, productId: string): Promise<ProductKnowledge> {
  const { knowledge } = (await findProduct(db, productId)) ?? productNotFound(productId);
  return { version: knowledge.version, documents: await listDocuments(db, productId) };
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
