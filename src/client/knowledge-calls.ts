import type { CallOptions } from "./http-call.ts";
import type { ChangeOptions, OrchestratorCalls } from "./orchestrator-calls.ts";
import * as routes from "./orchestrator-routes.ts";

export interface SearchKnowledgeOptions extends CallOptions {
  /** 6 by default. */
  readonly limit?: number | undefined;
}

/** Calls of the documents that all engines of a product search. */
export const knowledgeCalls = ({ call }: OrchestratorCalls) => ({
  /** All documents by path, without their text. */
  list: (given: CallOptions = {}) => call(routes.listDocuments, given),

  /** A document with its passages. */
  get: (path: string, given: CallOptions = {}) => call(routes.showDocument, { ...given, documentPath: path }),

  /** Stores a document, or replaces the one at its path, whose ending says its type: `.md`, `.txt`, `.html` or `.pdf`. */
  put: (path: string, content: Blob | Uint8Array<ArrayBuffer> | string, given: ChangeOptions = {}) => {
    const body = content instanceof Blob ? content : new Blob([content]);
    return call(routes.putDocument, { ...given, documentPath: path, body });
  },

  /** Engines do not find it a moment later. */
  delete: (path: string, given: ChangeOptions = {}) => call(routes.deleteDocument, { ...given, documentPath: path }),

  /** Searches as the engines' tool does. */
  search: (query: string, given: SearchKnowledgeOptions = {}) => call(routes.searchDocuments, { ...given, query }),
});
