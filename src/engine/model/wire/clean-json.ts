import type { JSONObject, JSONValue } from "@ai-sdk/provider";

/** Google's parser refuses about thirty levels, of which the request around a value uses a few. */
const MAX_DEPTH = 20;

/** JSON that every provider parses: no lone surrogates, and values nested too deep become text. */
export function cleanJson(value: unknown, depth = MAX_DEPTH): JSONValue {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "boolean" || value === null) return value;
  if (typeof value !== "object") return null;
  if (depth === 0) return (JSON.stringify(value) ?? "").toWellFormed();
  if (Array.isArray(value)) return value.map((inner) => cleanJson(inner, depth - 1));
  return cleanObject(value, depth);
}

/** The same for an object, which stays an object. */
export function cleanObject(value: object, depth = MAX_DEPTH): JSONObject {
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(members.map(([key, inner]) => [key.toWellFormed(), cleanJson(inner, depth - 1)]));
}
