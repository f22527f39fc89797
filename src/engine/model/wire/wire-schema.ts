import { hashedName } from "./call-names.ts";
import { isRecord } from "../../../shared/json-values.ts";
import { cleanJson } from "./clean-json.ts";
import { plainKeywords, referenced } from "./schema-keywords.ts";
import type { WireRules } from "./wire-rules.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Top-level arguments that are renamed on the wire. */
export interface ArgumentNames {
  readonly toWire: ReadonlyMap<string, string>;
  readonly toOriginal: ReadonlyMap<string, string>;
}

const MAX_DEPTH = 10;
/** Bounds the expansion of references. */
const MAX_NODES = 5000;
const COMBINED = ["allOf", "anyOf", "oneOf"] as const;

/**
 * A tool's schema in a form every provider accepts: an object with properties at the top, valid keywords, no references.
 * It may accept more than the tool, which validates its arguments, but never less.
 */
export function wireSchema(
  schema: Schema,
  { schemas, argumentName }: Pick<WireRules, "schemas" | "argumentName">,
): { readonly schema: Record<string, unknown>; readonly names: ArgumentNames } {
  const { properties, required, ...top } = flattened(new SchemaReader(schema, schemas).read(schema));
  const toWire = new Map(
    Object.keys(properties).flatMap((name) =>
      argumentName.test(name) ? [] : [[name, hashedName(name, { fallback: "argument", maxLength: 64 })]],
    ),
  );
  const wireName = (name: string) => toWire.get(name) ?? name;
  return {
    schema: {
      ...top,
      type: "object",
      properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [wireName(name), one])),
      ...(required.length > 0 && { required: required.map(wireName) }),
    },
    names: { toWire, toOriginal: new Map([...toWire].map(([name, wire]) => [wire, name])) },
  };
}

interface TopLevel extends Schema {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
}

/** Providers refuse combinators at the top level: this merges their properties into one object. */
function flattened(schema: Schema): TopLevel {
  const { allOf, anyOf, oneOf, not: _not, enum: _enum, const: _const, ...own } = schema;
  let top: TopLevel = { ...own, properties: propertiesOf(own), required: requiredOf(own) };
  for (const branch of branches(allOf)) top = joined(top, branch, [...top.required, ...branch.required]);
  for (const alternatives of [branches(anyOf), branches(oneOf)]) {
    const everywhere = alternatives
      .map(({ required }) => required)
      .reduce(intersection, alternatives[0]?.required ?? []);
    const required = [...top.required, ...everywhere];
    for (const branch of alternatives) top = joined(top, branch, required);
  }
  return top;
}

const branches = (value: unknown): readonly TopLevel[] =>
  Array.isArray(value) ? value.filter(isRecord).map(flattened) : [];

const intersection = (left: readonly string[], right: readonly string[]): readonly string[] =>
  left.filter((name) => right.includes(name));

function joined(top: TopLevel, branch: TopLevel, required: readonly string[]): TopLevel {
  const { additionalProperties: _, ...rest } = top;
  // A Map, because a property may be named like a member of Object.prototype.
  const properties = new Map(Object.entries(top.properties));
  for (const [name, schema] of Object.entries(branch.properties)) {
    const before = properties.get(name);
    if (before === undefined) properties.set(name, schema);
    else if (JSON.stringify(before) !== JSON.stringify(schema)) properties.set(name, eitherOf(before, schema));
  }
  return {
    ...rest,
    properties: Object.fromEntries(properties),
    required: [...new Set(required)].filter((name) => properties.has(name)),
  };
}

function eitherOf(before: unknown, schema: unknown): unknown {
  const known = isRecord(before) && Array.isArray(before["anyOf"]) && Object.keys(before).length === 1;
  return { anyOf: [...(known ? (before["anyOf"] as readonly unknown[]) : [before]), schema] };
}

const propertiesOf = ({ properties }: Schema): Readonly<Record<string, unknown>> =>
  isRecord(properties) ? properties : {};
const requiredOf = ({ required }: Schema): readonly string[] => (Array.isArray(required) ? (required as string[]) : []);

/** Reads one document; a schema that points to itself ends where it does, one without end at a depth. */
class SchemaReader {
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
    const read = { ...target, ...plainKeywords(schema, this.#keywords), ...this.#withSchemas(schema, depth - 1) };
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

const isArrayType = ({ type }: Schema): boolean => type === "array" || (Array.isArray(type) && type.includes("array"));

const requiredNames = (required: unknown, properties: unknown): readonly string[] =>
  Array.isArray(required) && isRecord(properties)
    ? [...new Set(required.filter((name) => typeof name === "string" && Object.hasOwn(properties, name)))]
    : [];

/** Gemini has no `const`. */
function withEnum(read: Schema, { const: only }: Schema): Schema {
  return typeof only === "string" || typeof only === "number" ? { ...read, enum: [cleanJson(only)] } : read;
}
