import * as z from "zod/mini";
import { byteLength, keptJson } from "../../shared/parse.ts";
import { PLAIN_KEYWORDS, isPattern, referenced } from "../json-schema-keywords.ts";

const MAX_KIB = 32;
const DIALECT = "https://json-schema.org/draft/2020-12/schema";

type Path = readonly string[];
interface Problem {
  readonly path: Path;
  readonly message: string;
}

/** The schema of a turn's result: JSON Schema 2020-12 for an object. Each problem is named by its place. */
export const outputSchema = () =>
  keptJson().check(
    z.refine((schema) => byteLength(JSON.stringify(schema)) <= MAX_KIB * 1024, {
      error: `expected at most ${MAX_KIB} KiB of JSON`,
      abort: true,
    }),
    z.check(({ value, issues }) => {
      for (const { path, message } of schemaProblems(value))
        issues.push({ code: "custom", path: [...path], message, input: value });
    }),
  );
export type OutputSchema = Readonly<Record<string, unknown>>;

/** What is wrong with a schema; empty for one that results can be checked by. */
export function schemaProblems(schema: OutputSchema): readonly Problem[] {
  const { type, $schema: dialect, ...others } = schema;
  return [
    ...(type === "object" ? [] : [{ path: ["type"], message: 'expected "object", for the result is an object' }]),
    ...(dialect === undefined || String(dialect).replace(/#$/, "") === DIALECT
      ? []
      : [{ path: ["$schema"], message: `expected ${DIALECT}` }]),
    ...problemsOf(others, [], schema),
  ];
}

const ONE = [
  ["items", "contains", "additionalProperties", "propertyNames", "not", "if", "then", "else"],
  ["unevaluatedItems", "unevaluatedProperties"],
].flat();
const LISTS = ["allOf", "anyOf", "oneOf", "prefixItems"];
const MAPS = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/** They would make the meaning of a reference depend on another place than its own. */
const REFUSED = ["$id", "$dynamicRef", "$dynamicAnchor", "$recursiveRef"];

function problemsOf(schema: unknown, path: Path, root: OutputSchema): readonly Problem[] {
  if (typeof schema === "boolean") return [];
  if (!isObject(schema)) return [{ path, message: "expected a schema: an object, true or false" }];
  return Object.entries(schema).flatMap(([name, value]) => keywordProblems([name, value], [...path, name], root));
}

function keywordProblems([name, value]: [string, unknown], path: Path, root: OutputSchema): readonly Problem[] {
  const plain = Object.hasOwn(PLAIN_KEYWORDS, name) ? PLAIN_KEYWORDS[name] : undefined;
  if (plain !== undefined) return plain.takes(value) ? [] : [{ path, message: `expected ${plain.expected}` }];
  if (ONE.includes(name)) return problemsOf(value, path, root);
  if (LISTS.includes(name)) {
    if (!Array.isArray(value) || value.length === 0) return [{ path, message: "expected a list of schemas" }];
    return value.flatMap((one, index) => problemsOf(one, [...path, String(index)], root));
  }
  if (MAPS.includes(name)) {
    if (!isObject(value)) return [{ path, message: "expected an object of schemas" }];
    return Object.entries(value).flatMap(([key, one]) => {
      const inner = [...path, key];
      if (name === "patternProperties" && !isPattern(key))
        return [{ path: inner, message: "expected a regular expression as name" }];
      return problemsOf(one, inner, root);
    });
  }
  if (name === "required") return isNames(value) ? [] : [{ path, message: "expected a list of different names" }];
  if (name === "dependentRequired")
    return isObject(value) && Object.values(value).every(isNames)
      ? []
      : [{ path, message: "expected an object of lists of different names" }];
  if (name === "$ref") return referenceProblems(value, path, root);
  if (REFUSED.includes(name)) return [{ path, message: "not supported; refer to a part of the schema by $ref" }];
  // JSON Schema lets unknown keywords pass.
  return [];
}

function referenceProblems(value: unknown, path: Path, root: OutputSchema): readonly Problem[] {
  let target = targetOf(value, root);
  if (!isObject(target) && typeof target !== "boolean")
    return [{ path, message: "expected a reference to a part of this schema, such as #/$defs/item" }];
  for (const seen = new Set<unknown>(); isObject(target); target = targetOf(target["$ref"], root)) {
    if (seen.has(target)) return [{ path, message: "expected a reference that does not lead to itself" }];
    seen.add(target);
  }
  return [];
}

const targetOf = (reference: unknown, root: OutputSchema): unknown =>
  typeof reference === "string" && /^#(?:$|\/)/.test(reference) ? referenced(root, reference) : undefined;

const isNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === "string") && new Set(value).size === value.length;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
