import type { KnowledgeFound } from "../../contract/engine/knowledge-result.ts";
import type { KnowledgeType } from "../../contract/orchestrator/knowledge-limits.ts";
import type { CountedVectors, KnowledgeEndpoint } from "../../contract/orchestrator/knowledge-order.ts";
import type { DocumentReading, ReadDocument } from "../../contract/orchestrator/knowledge-passage.ts";

/** The documents of a product as the database has them. */
export interface StoredDocuments {
  /** The digest of each document's content, by path. */
  contents(): Promise<ReadonlyMap<string, string>>;
  /** Null when it was deleted meanwhile. */
  document(path: string): Promise<ReadDocument | null>;
}

/** An endpoint as the program calls it. */
export interface CalledEndpoint extends KnowledgeEndpoint {
  /** Null where the broker's address is called. */
  readonly extraCaCerts: string | null;
}

export interface SearchOptions {
  readonly query: string;
  readonly limit: number;
  /** Null: by words alone. */
  readonly endpoint: CalledEndpoint | null;
}

/** The file of a product's documents, by its name: more vectors make another file. */
export interface KnowledgeFile extends CountedVectors {
  /** 64 hex digits, which engines are told as the digest of the version. */
  readonly name: string;
}

export interface EmbedOptions {
  readonly endpoint: CalledEndpoint;
  /** How long further calls are made. */
  readonly forMs: number;
  /** Asked at the end: vectors of documents that were changed meanwhile are dropped. */
  readonly isCurrent: () => Promise<boolean>;
}

/** `made`: how many passages have got a vector now, or were refused one. */
export interface EmbedOutcome {
  readonly made: number;
  /** Why the last call failed. */
  readonly error: string | null;
  readonly retryAfterMs: number | null;
}

export interface FilesInUse {
  /** Of the product's current documents. */
  readonly digest: string | null;
  /** Of files that engines search. */
  readonly names: ReadonlySet<string>;
}

/**
 * The files of products' knowledge, by product and name, that engines search. They never change. The database has the
 * documents that they are made from.
 */
export interface KnowledgeStorage {
  /** Reads a document in a process of its own. One that exceeds its time or memory has a `problem`. */
  read(bytes: Uint8Array, document: { readonly type: KnowledgeType; readonly path: string }): Promise<DocumentReading>;
  /** Makes sure that a file of the documents of a digest is there. Null when they have another digest by now. */
  ensure(productId: string, digest: string, stored: StoredDocuments): Promise<KnowledgeFile | null>;
  /** The newest file of a digest, as far as `ensure` has been called for it. Reads nothing. */
  known(productId: string, digest: string): KnowledgeFile | null;
  /** The newest file of a digest that is there. */
  find(productId: string, digest: string): Promise<KnowledgeFile | null>;
  /** Makes vectors of passages that have none. What was made is in the file that `known` has then. */
  embed(productId: string, digest: string, options: EmbedOptions): Promise<EmbedOutcome>;
  /** Where a file is. */
  fileOf(productId: string, name: string): string;
  search(productId: string, name: string, options: SearchOptions): Promise<KnowledgeFound>;
  /** Removes a product's files that are not in use any more: all but these and the newest of the current digest. */
  collect(productId: string, inUse: FilesInUse, now: number): Promise<void>;
}
