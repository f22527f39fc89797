/** Limits of a product's knowledge. */
export const KNOWLEDGE_LIMITS = {
  /** The size of a document as it is uploaded. */
  documentBytes: 16 * 1024 * 1024,
  /** The text that is read from a document, and that of all documents of a product. */
  documentTextBytes: 4 * 1024 * 1024,
  textBytes: 64 * 1024 * 1024,
  documents: 2000,
  pathBytes: 255,
  titleCharacters: 200,
} as const;

/** The types of documents, by the endings of their paths. */
export const KNOWLEDGE_TYPES = {
  "text/plain": ["txt", "text"],
  "text/markdown": ["md", "markdown"],
  "text/html": ["html", "htm"],
  "application/pdf": ["pdf"],
} as const;
export type KnowledgeType = keyof typeof KNOWLEDGE_TYPES;

export const knowledgeTypes = Object.keys(KNOWLEDGE_TYPES) as readonly KnowledgeType[];

const BY_ENDING = new Map<string, KnowledgeType>(
  knowledgeTypes.flatMap((type) => KNOWLEDGE_TYPES[type].map((ending) => [ending, type] as const)),
);

/** The type that the ending of a path stands for, or null. */
export const typeOfPath = (path: string): KnowledgeType | null =>
  BY_ENDING.get(/\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "") ?? null;
