import {
  KNOWLEDGE_LIMITS,
  type KnowledgeType,
  knowledgeTypes,
  typeOfPath,
} from "../../contract/orchestrator/knowledge-limits.ts";
import { searchKnowledgeRequest } from "../../contract/orchestrator/knowledge.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { ApiError } from "../api-error.ts";
import type { EngineHost } from "../host-context.ts";
import { deleteDocument } from "../operations/delete-document.ts";
import { putDocument } from "../operations/put-document.ts";
import { searchProductKnowledge } from "../operations/search-product-knowledge.ts";
import { documentShown, productKnowledge } from "../status/read-knowledge.ts";
import type { Call, Handler } from "./call.ts";

/** The documents that a product's engines search. */
export function knowledgeRoutes(host: EngineHost) {
  return {
    listDocuments: (call) => call.list(async () => ({ status: 200, body: await productKnowledge(host, call.product) })),
    showDocument: async (call) => ({
      status: 200,
      body: await documentShown(host, call.product.record.id, documentPath(call)),
    }),
    putDocument: async (call) => {
      const path = documentPath(call);
      const upload = { path, type: typeOf(call, path), bytes: call.bytes };
      return { status: 200, body: await putDocument(host, call.product, upload) };
    },
    deleteDocument: async (call) => ({
      status: 200,
      body: await deleteDocument(host, call.product, documentPath(call)),
    }),
    searchDocuments: async (call) => ({
      status: 200,
      body: await searchProductKnowledge(host, call.product, call.body(searchKnowledgeRequest)),
    }),
  } satisfies Record<string, Handler>;
}

/** A path that a model can cite: relative, without control characters. */
function documentPath({ params }: Call): string {
  const path = params["document_path"] ?? "";
  const parts = path.split("/");
  if (parts.some((part) => part === "" || part === "." || part === ".."))
    throw new InvalidInput("document_path", "expected a relative path without empty, . or .. parts");
  if (/[\p{Cc}\p{Cs}\\\ufffd]/u.test(path))
    throw new InvalidInput("document_path", "expected a path in UTF-8 without control characters and backslashes");
  if (Buffer.byteLength(path) > KNOWLEDGE_LIMITS.pathBytes)
    throw new InvalidInput("document_path", `expected at most ${KNOWLEDGE_LIMITS.pathBytes} bytes`);
  return path;
}

/** By `Content-Type`, where it names a type of documents, else by the path. */
function typeOf({ headers }: Call, path: string): KnowledgeType {
  const named = headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  const type = knowledgeTypes.find((one) => one === named) ?? typeOfPath(path);
  if (type !== null) return type;
  throw new ApiError(
    "KNOWLEDGE_DOCUMENT_INVALID",
    `Content-Type: expected ${knowledgeTypes.join(", ")}, or a path that ends as such files do`,
  );
}
