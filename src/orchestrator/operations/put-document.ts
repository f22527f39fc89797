import { createHash } from "node:crypto";
import { KNOWLEDGE_LIMITS, type KnowledgeType } from "../../contract/orchestrator/knowledge-limits.ts";
import type { KnowledgeDocumentPut } from "../../contract/orchestrator/knowledge.ts";
import type { ReadDocument } from "../../contract/orchestrator/knowledge-passage.ts";
import { ApiError } from "../api-error.ts";
import type { EngineHost, HostContext } from "../host-context.ts";
import { sealDocument } from "../status/document-content.ts";
import { productNotFound } from "../status/look-up-product.ts";
import { documentRecord } from "../status/read-knowledge.ts";
import { appendAudit } from "../store/audit-log.ts";
import type { Trx } from "../store/database.ts";
import {
  type NewDocument,
  advanceKnowledge,
  contentDigests,
  lockKnowledge,
  putDocument as storeDocument,
  sizeWithout,
} from "../store/knowledge.ts";
import type { Product } from "../store/products.ts";
import { embedKnowledge } from "../supervision/embed-knowledge.ts";
import { rollOutKnowledge } from "../supervision/reload-knowledge.ts";
import { assertNotSuspended } from "./assert-admission.ts";

interface Upload {
  readonly path: string;
  readonly type: KnowledgeType;
  readonly bytes: Uint8Array;
}

/**
 * Reads a document and stores it. Running engines search it a moment later. The product's own copy is the original: only
 * what was read is stored. Tested in test/end-to-end/product-knowledge.test.ts.
 */
export async function putDocument(
  host: EngineHost,
  product: Product,
  { path, type, bytes }: Upload,
): Promise<KnowledgeDocumentPut> {
  assertNotSuspended(product);
  const { id } = product.record;
  const read = await host.backend.knowledge.read(bytes, { type, path });
  if ("problem" in read) throw new ApiError("KNOWLEDGE_DOCUMENT_INVALID", `${path}: ${read.problem}`);
  const document = { media_type: type, bytes: bytes.length, sha256: sha256(bytes), ...(await stored(host, read)) };
  const changed = await host.db.transaction().execute((trx) => store(host, trx, { id, path, document }));
  if (changed.isNew) {
    host.directory.changed();
    rollOutKnowledge(host, id);
    embedKnowledge(host, id);
  }
  return { ...(await documentRecord(host, id, path)), version: changed.version, is_new: changed.isNew };
}

async function stored(host: Pick<HostContext, "box">, read: ReadDocument) {
  return {
    title: read.title,
    passages: read.passages.length,
    text_bytes: read.passages.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
    content: await sealDocument(host, read),
    content_digest: sha256(JSON.stringify(read)),
  };
}

/** The lock of the product's row serializes concurrent changes. */
async function store(
  host: Pick<HostContext, "events">,
  trx: Trx,
  { id, path, document }: { readonly id: string; readonly path: string; readonly document: NewDocument },
): Promise<{ readonly version: number; readonly isNew: boolean }> {
  const current = (await lockKnowledge(trx, id)) ?? productNotFound(id);
  const { documents, textBytes } = await sizeWithout(trx, id, path);
  if (documents >= KNOWLEDGE_LIMITS.documents)
    throw new ApiError("QUOTA_EXCEEDED", `the knowledge has ${documents} documents, the most that it may have`);
  if (textBytes + document.text_bytes > KNOWLEDGE_LIMITS.textBytes)
    throw new ApiError(
      "QUOTA_EXCEEDED",
      `the texts of the knowledge may have ${KNOWLEDGE_LIMITS.textBytes} bytes in all`,
    );
  const isNew = (await contentDigests(trx, id)).get(path) !== document.content_digest;
  await storeDocument(trx, id, path, document);
  if (!isNew) return { version: current.version, isNew };
  const { version } = await advanceKnowledge(trx, id, current.version);
  await recordKnowledgeChange(host, trx, { productId: id, data: { path, version } });
  return { version, isNew };
}

export async function recordKnowledgeChange(
  { events }: Pick<HostContext, "events">,
  trx: Trx,
  { productId, data }: { readonly productId: string; readonly data: Readonly<Record<string, unknown>> },
): Promise<void> {
  await appendAudit(trx, { action: "knowledge.changed", product_id: productId, detail: data });
  await events.insert(trx, { type: "knowledge.changed", productId, reason: "request", data });
}

const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");
