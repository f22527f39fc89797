/** A keyword of JSON Schema 2020-12 without subschemas: which values it takes, and how to say so. */
interface Keyword {
  readonly expected: string;
  readonly takes: (value: unknown) => boolean;
}

export const JSON_TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"];

const text = keyword("a string", (value) => typeof value === "string");
const count = keyword("an integer of at least 0", (value) => Number.isInteger(value) && (value as number) >= 0);
const number = keyword("a number", (value) => Number.isFinite(value));
const anything = keyword("a value", (value) => value !== undefined);
const flag = keyword("true or false", (value) => typeof value === "boolean");

export const PLAIN_KEYWORDS: Readonly<Record<string, Keyword>> = {
  type: keyword(`one of ${JSON_TYPES.join(", ")}, or a list of different ones`, isType),
  title: text,
  description: text,
  default: anything,
  examples: keyword("a list", Array.isArray),
  const: anything,
  enum: keyword("a list with at least one value", (value) => Array.isArray(value) && value.length > 0),
  format: text,
  pattern: keyword("a regular expression", isPattern),
  minLength: count,
  maxLength: count,
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: keyword("a number above 0", (value) => Number.isFinite(value) && (value as number) > 0),
  minItems: count,
  maxItems: count,
  uniqueItems: flag,
  minProperties: count,
  maxProperties: count,
};

function keyword(expected: string, takes: Keyword["takes"]): Keyword {
  return { expected, takes };
}

function isType(value: unknown): boolean {
  return Array.isArray(value)
    ? value.length > 0 && new Set(value).size === value.length && value.every((one) => JSON_TYPES.includes(one))
    : JSON_TYPES.includes(value as string);
}

export function isPattern(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    // JSON Schema prescribes the `u` flag. The expression is only compiled, never run.
    return new RegExp(value, "u").source !== "";
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Resolves a `#` reference within a document. */
export function referenced(root: unknown, reference: string): unknown {
  if (!reference.startsWith("#")) return undefined;
  let at: unknown = root;
  for (const step of reference.slice(1).split("/").slice(1)) {
    const name = decoded(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
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
