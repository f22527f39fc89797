import { PLAIN_KEYWORDS } from "../../../contract/json-schema-keywords.ts";
import { cleanJson } from "./clean-json.ts";

/** For examples and defaults, which are already deep in the schema. */
const VALUE_DEPTH = 4;

type Checks = Readonly<Record<string, (value: unknown) => boolean>>;

const PLAIN: Checks = pick(Object.keys(PLAIN_KEYWORDS));

/** The subset that Gemini documents; its `enum` has only strings and numbers. */
const SUBSET: Checks = {
  ...pick(["type", "title", "description", "format", "minItems", "maxItems", "minimum", "maximum"]),
  enum: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string" || Number.isFinite(one)),
};

/** The valid keywords of a schema, without those that hold subschemas. */
export function plainKeywords(schema: object, keywords: "json_schema" | "subset"): Record<string, unknown> {
  const known = keywords === "subset" ? SUBSET : PLAIN;
  const kept = Object.entries(schema).filter(([name, value]) => Object.hasOwn(known, name) && known[name]?.(value));
  return Object.fromEntries(kept.map(([name, value]) => [name, cleanJson(value, VALUE_DEPTH)]));
}

function pick(names: readonly string[]): Record<string, (value: unknown) => boolean> {
  return Object.fromEntries(
    names.flatMap((name) => (PLAIN_KEYWORDS[name] ? [[name, PLAIN_KEYWORDS[name].takes] as const] : [])),
  );
}
