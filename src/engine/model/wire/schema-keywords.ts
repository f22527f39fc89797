import { cleanJson, isRecord } from "./clean-json.ts";

const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"];

/** Of examples, defaults and the like, which stand deep in the schema already. */
const VALUE_DEPTH = 4;

const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;
const isText = (value: unknown) => typeof value === "string";
const isNumber = (value: unknown) => Number.isFinite(value);

/** Keywords without schemas in them, each with what JSON Schema 2020-12 allows as its value. */
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

/** What Gemini documents of them; `enum` there has texts and numbers only. */
const SUBSET: Readonly<Record<string, (value: unknown) => boolean>> = {
  ...pick(["type", "title", "description", "format", "minItems", "maxItems", "minimum", "maximum"]),
  enum: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string" || isNumber(one)),
};

/** The keywords of a schema that are well-formed, but for those that hold schemas. */
export function plainKeywords(schema: object, keywords: "json_schema" | "subset"): Record<string, unknown> {
  const known = keywords === "subset" ? SUBSET : PLAIN;
  const kept = Object.entries(schema).filter(([name, value]) => Object.hasOwn(known, name) && known[name]?.(value));
  return Object.fromEntries(kept.map(([name, value]) => [name, cleanJson(value, VALUE_DEPTH)]));
}

/** The part of a document that a reference within it points to. */
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
    // Compiled with the flag that JSON Schema prescribes, and never run.
    return new RegExp(value, "u").source !== "";
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function pick(names: readonly string[]): Record<string, (value: unknown) => boolean> {
  return Object.fromEntries(names.flatMap((name) => (PLAIN[name] ? [[name, PLAIN[name]]] : [])));
}
