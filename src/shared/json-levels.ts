/** Of what a model gives a tool and a tool gives back. What nests deeper would overflow the stack of whoever reads it. */
export const MAX_JSON_LEVELS = 64;

/** Whether a JSON value nests at most so many objects and arrays. Deeper values overflow the stack of recursive readers. */
export function isFlatterThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isFlatterThan(levels - 1, inner));
}
