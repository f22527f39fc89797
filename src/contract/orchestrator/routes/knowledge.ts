import { ok } from "../../route-table.ts";
import { KNOWLEDGE_LIMITS } from "../knowledge-limits.ts";
import { searchKnowledgeRequest } from "../knowledge.ts";
import { type Route, platform } from "./route-row.ts";

const DOCUMENT = "/knowledge/documents/{document_path}";
const NOT_FOUND = ["KNOWLEDGE_DOCUMENT_NOT_FOUND"] as const;

/** The documents that a product's engines search. */
export const KNOWLEDGE_ROUTES = {
  listDocuments: platform("GET /knowledge", "List the documents of the [product's knowledge](knowledge.md)", {
    role: "viewer",
    responses: ok("ProductKnowledge"),
  }),
  showDocument: platform(`GET ${DOCUMENT}`, "Get a document with its passages, as engines search it", {
    role: "viewer",
    responses: ok("KnowledgeDocumentShown"),
    errors: NOT_FOUND,
  }),
  putDocument: platform(
    `PUT ${DOCUMENT}`,
    "Store a document: text, Markdown, HTML or PDF, by `Content-Type` or the path",
    {
      role: "admin",
      requestBytes: true,
      maxBodyBytes: KNOWLEDGE_LIMITS.documentBytes,
      timeout: "boot",
      responses: ok("KnowledgeDocumentPut"),
      errors: ["POLICY_DENIED", "KNOWLEDGE_DOCUMENT_INVALID", "QUOTA_EXCEEDED"],
    },
  ),
  deleteDocument: platform(`DELETE ${DOCUMENT}`, "Delete a document. Engines do not find it a moment later", {
    role: "admin",
    responses: ok("KnowledgeDocumentDeleted"),
    errors: NOT_FOUND,
  }),
  searchDocuments: platform(
    "POST /knowledge/search",
    "Search the documents as the engines' tool does, to try a question",
    {
      role: "viewer",
      request: searchKnowledgeRequest,
      timeout: "boot",
      responses: ok("KnowledgeFound"),
    },
  ),
} satisfies Record<string, Route>;
