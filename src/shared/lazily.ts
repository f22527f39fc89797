/** Creates a value at its first use, for values that must not be created while a module loads. */
export function lazily<T>(create: () => T): () => T {
  let created: { readonly value: T } | undefined;
  return () => (created ??= { value: create() }).value;
}
