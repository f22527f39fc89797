/** Whether a JSON value nests at most so many objects and arrays. Deeper values overflow the stack of recursive readers. */
export function isFlatterThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isFlatterThan(levels - 1, inner));
}
