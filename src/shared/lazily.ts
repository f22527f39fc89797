/** Creates a value at its first use, for what must not exist while a module loads. */
export function lazily<T>(create: () => T): () => T {
  let created: { readonly value: T } | undefined;
  return () => (created ??= { value: create() }).value;
}
