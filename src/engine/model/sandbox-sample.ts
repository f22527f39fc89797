import { referenced } from "../../contract/json-schema-keywords.ts";
import { isRecord } from "../../shared/json-values.ts";

type Schema = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 10;

/** A value for most schemas of results, by which the sandbox model shows a turn with an output schema. */
export const sampleObject = (schema: Schema): Schema => {
  const sample = sampleOf(schema, schema, MAX_DEPTH);
  return isRecord(sample) ? sample : {};
};

function sampleOf(schema: unknown, root: Schema, depth: number): unknown {
  if (!isRecord(schema) || depth === 0) return null;
  const { $ref: reference, anyOf, oneOf, allOf } = schema;
  const given = [schema["const"], schema["default"], first(schema["examples"]), first(schema["enum"])];
  const known = given.find((value) => value !== undefined);
  if (known !== undefined) return known;
  if (typeof reference === "string") return sampleOf(referenced(root, reference), root, depth - 1);
  const alternative = first(anyOf) ?? first(oneOf) ?? first(allOf);
  if (schema["type"] === undefined && alternative !== undefined) return sampleOf(alternative, root, depth - 1);
  switch (Array.isArray(schema["type"]) ? first(schema["type"]) : schema["type"]) {
    case "object": {
      const { properties } = schema;
      const required = Array.isArray(schema["required"]) ? (schema["required"] as readonly string[]) : [];
      return Object.fromEntries(
        required.map((name) => [name, sampleOf(isRecord(properties) ? properties[name] : {}, root, depth - 1)]),
      );
    }
    case "array":
      return Array.from({ length: count(schema["minItems"]) }, () => sampleOf(schema["items"], root, depth - 1));
    case "string":
      return "sandbox".padEnd(count(schema["minLength"]), "x").slice(0, count(schema["maxLength"], 1000));
    case "number":
    case "integer":
      return count(schema["minimum"]);
    case "boolean":
      return true;
    default:
      return null;
  }
}

const first = (list: unknown): unknown => (Array.isArray(list) ? (list as readonly unknown[])[0] : undefined);
const count = (value: unknown, otherwise = 0): number =>
  typeof value === "number" ? Math.min(value, 1000) : otherwise;
