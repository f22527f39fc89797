import { isRecord } from "../../../shared/json-values.ts";
import { propertiesOf, requiredOf } from "./schema-reader.ts";

/** What the strict modes of all providers accept. */
const KEYWORDS = new Set(
  "type title description enum const properties required additionalProperties items anyOf".split(" "),
);

/**
 * Whether a provider's strict mode accepts a schema: closed objects whose properties are all required, and no keyword
 * beyond types, enums and alternatives. A provider refuses the whole request for another schema.
 */
export function isStrictSchema(schema: unknown): boolean {
  if (!isRecord(schema) || !Object.keys(schema).every((name) => KEYWORDS.has(name))) return false;
  const { type, anyOf, items } = schema;
  if (Array.isArray(anyOf)) return anyOf.every(isStrictSchema);
  const types = Array.isArray(type) ? (type as readonly unknown[]) : [type];
  if (type === undefined) return false;
  if (types.includes("array") && !isStrictSchema(items)) return false;
  return !types.includes("object") || isClosed(schema);
}

function isClosed(schema: Readonly<Record<string, unknown>>): boolean {
  const properties = propertiesOf(schema);
  const required = requiredOf(schema);
  return (
    schema["additionalProperties"] === false &&
    Object.entries(properties).every(([name, one]) => required.includes(name) && isStrictSchema(one))
  );
}
