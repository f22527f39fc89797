/**
 * Where a product keeps the keys of its users' engines: two functions, such as two statements of any SQL database. A row is
 * an engine's id and its key.
 */
export interface KeyStore {
  /** The stored key of an engine; null without one. */
  readonly read: (engineId: string) => string | null | undefined | Promise<string | null | undefined>;
  /** Stores the key of an engine in place of an earlier one. */
  readonly write: (engineId: string, key: string) => unknown;
}

/** Keeps keys until the program ends. Its next start replaces the key of each engine that it opens. */
export function memoryKeys(): KeyStore {
  const keys = new Map<string, string>();
  return {
    read: (engineId) => keys.get(engineId),
    write: (engineId, key) => keys.set(engineId, key),
  };
}
