/** The nesting limit of tool inputs and outputs. */
export const MAX_JSON_LEVELS = 64;

/** Whether a JSON value nests at most so many objects and arrays. Deeper values overflow the stack of recursive readers. */
export function isFlatterThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isFlatterThan(levels - 1, inner));
}

/** Whether a value is a JSON object, in contrast to an array or null. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What a model is shown of a value: text as it is, anything else as JSON. */
export const asText = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

/** A canonical form for hashing: equal for values that differ only in the order of object keys. */
export function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, inner]) => [key, sortedKeys(inner)]);
}
