import { isRecord } from "../../../shared/json-values.ts";
import { cleanJson } from "./clean-json.ts";
import { referenced } from "../../../contract/json-schema-keywords.ts";
import { plainKeywords } from "./schema-keywords.ts";
import type { WireRules } from "./wire-rules.ts";

export type Schema = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 10;
/** Bounds the expansion of references. */
const MAX_NODES = 5000;
const COMBINED = ["allOf", "anyOf", "oneOf"] as const;

export const propertiesOf = ({ properties }: Schema): Readonly<Record<string, unknown>> =>
  isRecord(properties) ? properties : {};
export const requiredOf = ({ required }: Schema): readonly string[] =>
  Array.isArray(required) ? (required as string[]) : [];

/** Reads one document. A recursive reference ends with an empty schema, and so does the maximum depth. */
export class SchemaReader {
  readonly #root: Schema;
  readonly #keywords: WireRules["schemas"];
  readonly #open = new Set<unknown>();
  #nodes = 0;

  constructor(root: Schema, keywords: WireRules["schemas"]) {
    this.#root = root;
    this.#keywords = keywords;
  }

  read(schema: unknown, depth = MAX_DEPTH): Schema {
    if (!isRecord(schema) || this.#open.has(schema) || depth === 0 || ++this.#nodes > MAX_NODES) return {};
    this.#open.add(schema);
    const { $ref: reference } = schema;
    const target = typeof reference === "string" ? this.read(referenced(this.#root, reference), depth) : {};
    const own = { ...plainKeywords(schema, this.#keywords), ...this.#withSchemas(schema, depth - 1) };
    const read = withReferenced(own, target);
    this.#open.delete(schema);
    return this.#keywords === "subset" ? withEnum(read, schema) : read;
  }

  #withSchemas(schema: Schema, depth: number): Record<string, unknown> {
    const read: Record<string, unknown> = {};
    const subset = this.#keywords === "subset";
    const { properties, patternProperties, items, prefixItems, additionalProperties, required, not } = schema;
    if (isRecord(properties)) read["properties"] = this.#map(properties, depth);
    if (isRecord(patternProperties) && !subset) read["patternProperties"] = this.#patterns(patternProperties, depth);
    const tuple = Array.isArray(prefixItems) ? prefixItems : items;
    if (Array.isArray(tuple) && tuple.length > 0) read["prefixItems"] = tuple.map((one) => this.read(one, depth));
    if (isRecord(items)) read["items"] = this.read(items, depth);
    else if (isArrayType(schema)) read["items"] = {};
    if (isRecord(additionalProperties)) read["additionalProperties"] = this.read(additionalProperties, depth);
    else if (typeof additionalProperties === "boolean") read["additionalProperties"] = additionalProperties;
    const needed = requiredNames(required, read["properties"]);
    if (needed.length > 0) read["required"] = needed;
    for (const name of COMBINED) {
      const all: unknown = schema[name];
      const kept = subset && name === "oneOf" ? "anyOf" : name;
      if (!Array.isArray(all) || all.length === 0 || (subset && name === "allOf" && depth < MAX_DEPTH - 1)) continue;
      read[kept] = [
        ...((read[kept] as readonly unknown[] | undefined) ?? []),
        ...all.map((one) => this.read(one, depth)),
      ];
    }
    if (isRecord(not) && !subset) read["not"] = this.read(not, depth);
    return read;
  }

  #map(schemas: Schema, depth: number): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(schemas).map(([name, one]) => [name.toWellFormed(), this.read(one, depth)]),
    );
  }

  #patterns(schemas: Schema, depth: number): Record<string, unknown> {
    const sound = Object.entries(schemas).filter(([pattern]) => "pattern" in plainKeywords({ pattern }, "json_schema"));
    return this.#map(Object.fromEntries(sound), depth);
  }
}

/** Merges a schema with the target of its `$ref`, because both apply. */
function withReferenced(own: Schema, target: Schema): Schema {
  if (!("properties" in own && "properties" in target)) return { ...target, ...own };
  const required = [...new Set([...requiredOf(target), ...requiredOf(own)])];
  return {
    ...target,
    ...own,
    properties: { ...propertiesOf(target), ...propertiesOf(own) },
    ...(required.length > 0 && { required }),
  };
}

const isArrayType = ({ type }: Schema): boolean => type === "array" || (Array.isArray(type) && type.includes("array"));

const requiredNames = (required: unknown, properties: unknown): readonly string[] =>
  Array.isArray(required) && isRecord(properties)
    ? [...new Set(required.filter((name) => typeof name === "string" && Object.hasOwn(properties, name)))]
    : [];

/** Gemini has no `const`. */
function withEnum(read: Schema, { const: only }: Schema): Schema {
  return typeof only === "string" || typeof only === "number" ? { ...read, enum: [cleanJson(only)] } : read;
}
