import { hashedName } from "./call-names.ts";
import { isRecord } from "../../../shared/json-values.ts";
import { type Schema, SchemaReader, propertiesOf, requiredOf } from "./schema-reader.ts";
import type { WireRules } from "./wire-rules.ts";

/** Top-level arguments that are renamed on the wire. */
export interface ArgumentNames {
  readonly toWire: ReadonlyMap<string, string>;
  readonly toOriginal: ReadonlyMap<string, string>;
}

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
