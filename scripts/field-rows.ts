import type { Schema } from "./openapi-types.ts";

/** Path, type and meaning of each field in Markdown; those of objects within it by their paths: `usage.cpu_percent`. */
export function fieldRows({ properties = {}, required = [] }: Schema, path = ""): readonly (readonly string[])[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    const full = `${path}${name}`;
    const object = objectIn(property);
    const type = required.includes(name) ? typeOf(property) : `${typeOf(property)}, optional`;
    const row = [`\`${full}\``, type, property.description ?? ""];
    return object === null ? [row] : [row, ...fieldRows(object, `${full}${isList(property) ? "[]." : "."}`)];
  });
}

const isList = (schema: Schema): boolean => alternativesOf(schema).some(({ type }) => type === "array");

/** The object with fields that a value is, may be, or is a list of. Null if there are several. */
function objectIn(schema: Schema): Schema | null {
  const items = alternativesOf(schema).map((one) => (one.type === "array" ? (one.items ?? {}) : one));
  const [first = null, ...others] = items.filter(({ properties }) => properties !== undefined);
  return others.length === 0 ? first : null;
}

const alternativesOf = (schema: Schema): readonly Schema[] => schema.anyOf ?? schema.oneOf ?? [schema];

const TIME = String.raw`^\d{4}-\d\d-\d\dT`;

/** A longer enumeration is named by its title; its values have a table of their own. */
const MAX_LISTED = 15;

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.title !== undefined && (schema.enum?.length ?? 0) > MAX_LISTED) return schema.title;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(", ");
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return [...new Set(alternatives.map(typeOf))].join(" or ");
  if (schema.pattern?.startsWith(TIME)) return "time";
  if (schema.type === "array") return listOf(typeOf(schema.items ?? {}));
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1) ?? "";
  return [schema.type ?? "any"].flat().join(" or ") + boundsOf(schema);
}

const listOf = (item: string): string => `list of ${item.includes(" or ") ? `(${item})` : item}`;

/** Of a number within bounds. Other integers have zod's bounds of safe integers. */
const boundsOf = ({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Schema): string =>
  maximum === Number.MAX_SAFE_INTEGER ? "" : ` (${minimum} to ${maximum})`;
