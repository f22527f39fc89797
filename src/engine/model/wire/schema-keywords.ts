import { isRecord } from "../../../shared/json-values.ts";
import { cleanJson } from "./clean-json.ts";

const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"];

/** For examples and defaults, which are already deep in the schema. */
const VALUE_DEPTH = 4;

const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;
const isText = (value: unknown) => typeof value === "string";
const isNumber = (value: unknown) => Number.isFinite(value);

/** Keywords without subschemas, with the check of their value in JSON Schema 2020-12. */
const PLAIN: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) =>
    Array.isArray(value)
      ? value.length > 0 && new Set(value).size === value.length && value.every((one) => TYPES.includes(one))
      : TYPES.includes(value as string),
  title: isText,
  description: isText,
  default: (value) => value !== undefined,
  examples: Array.isArray,
  const: (value) => value !== undefined,
  enum: (value) => Array.isArray(value) && value.length > 0,
  format: isText,
  pattern: isPattern,
  minLength: isCount,
  maxLength: isCount,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value) => isNumber(value) && (value as number) > 0,
  minItems: isCount,
  maxItems: isCount,
  uniqueItems: (value) => typeof value === "boolean",
  minProperties: isCount,
  maxProperties: isCount,
};

/** The subset that Gemini documents; its `enum` has only strings and numbers. */
const SUBSET: Readonly<Record<string, (value: unknown) => boolean>> = {
  ...pick(["type", "title", "description", "format", "minItems", "maxItems", "minimum", "maximum"]),
  enum: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string" || isNumber(one)),
};

/** The valid keywords of a schema, without those that hold subschemas. */
export function plainKeywords(schema: object, keywords: "json_schema" | "subset"): Record<string, unknown> {
  const known = keywords === "subset" ? SUBSET : PLAIN;
  const kept = Object.entries(schema).filter(([name, value]) => Object.hasOwn(known, name) && known[name]?.(value));
  return Object.fromEntries(kept.map(([name, value]) => [name, cleanJson(value, VALUE_DEPTH)]));
}

/** Resolves a `#` reference within a document. */
export function referenced(root: unknown, reference: string): unknown {
  if (!reference.startsWith("#")) return undefined;
  let at: unknown = root;
  for (const step of reference.slice(1).split("/").slice(1)) {
    const name = decoded(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(at)) at = at[Number(name)];
    else at = isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return at;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch (error) {
    if (error instanceof URIError) return step;
    throw error;
  }
}

function isPattern(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    // JSON Schema prescribes the `u` flag. The expression is only compiled, never run.
    return new RegExp(value, "u").source !== "";
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function pick(names: readonly string[]): Record<string, (value: unknown) => boolean> {
  return Object.fromEntries(names.flatMap((name) => (PLAIN[name] ? [[name, PLAIN[name]]] : [])));
}
