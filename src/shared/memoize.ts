/** Calls `find` once for each key. Concurrent calls share the result. A failure is not kept. */
export function memoize<T>(find: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const found = new Map<string, Promise<T>>();
  return (key) => {
    const known = found.get(key) ?? find(key);
    found.set(key, known);
    known.catch(() => found.delete(key));
    return known;
  };
}
