import type { Schema } from "./openapi-types.ts";
import { typeNameOf } from "./client-records.ts";

/** Words that are no names of fields in a class. */
const KEYWORDS = new Set(["from", "in", "class", "try", "global", "import", "is", "not", "or", "and", "as"]);

/**
 * Types of Python for the schemas that a program uses: a class for each object, also for one within another. `used` is
 * text with the names of types; those that they name are used too.
 */
export function pythonTypes(
  schemas: ReadonlyMap<string, Schema>,
  used: string,
): { readonly names: readonly string[]; readonly text: string } {
  const written = new Map<string, string>();
  const wordsOf = (text: string) => new Set(text.match(/\w+/g) ?? []);
  for (let words = wordsOf(used), size = -1; size < written.size; words = wordsOf([...written.values()].join("\n"))) {
    size = written.size;
    for (const [name, schema] of schemas) if (words.has(name)) declare(name, schema, written);
  }
  const sorted = [...written].sort(([left], [right]) => left.localeCompare(right));
  return { names: sorted.map(([name]) => name), text: sorted.map(([, text]) => text).join("\n\n") };
}

function declare(name: string, schema: Schema, written: Map<string, string>): void {
  if (written.has(name)) return;
  // Reserved, so that what it contains comes after it and gets another name.
  written.set(name, "");
  const properties = Object.entries(schema.properties ?? {});
  written.set(
    name,
    properties.length === 0
      ? `${name} = ${typeOf(schema, { path: name, written, quoted: true })}\n`
      : objectOf(name, schema, written),
  );
}

function objectOf(name: string, { properties = {}, required = [], description }: Schema, written: Map<string, string>) {
  const all = Object.entries(properties);
  const isNamed = all.every(([field]) => /^[A-Za-z_]\w*$/.test(field) && !KEYWORDS.has(field));
  if (!isNamed) {
    const fields = all.map(([field, schema]) => `"${field}": ${quote(typeOf(schema, within(name, field, written)))}`);
    return `${name} = TypedDict("${name}", {${fields.join(", ")}}, total=False)\n`;
  }
  const lines = (of: typeof all) =>
    of
      .map(([field, schema]) => `${comment(schema)}    ${field}: ${typeOf(schema, within(name, field, written))}\n`)
      .join("");
  const optional = all.filter(([field]) => !required.includes(field));
  const needed = all.filter(([field]) => required.includes(field));
  const doc = description === undefined ? "" : `    """${plain(description)}"""\n\n`;
  if (optional.length === 0) return `class ${name}(TypedDict):\n${doc}${lines(needed)}`;
  if (needed.length === 0) return `class ${name}(TypedDict, total=False):\n${doc}${lines(optional)}`;
  return `class _${name}(TypedDict):\n${lines(needed)}\n\nclass ${name}(_${name}, total=False):\n${doc}${lines(optional)}`;
}

interface Place {
  /** The name of an object here that has none. */
  readonly path: string;
  readonly written: Map<string, string>;
  /** Whether names are written as texts: where Python reads them before they are known. */
  readonly quoted?: boolean;
}

const within = (name: string, field: string, written: Map<string, string>): Place => ({
  path: name + pascal(field),
  written,
});

const pascal = (field: string): string =>
  field
    .split(/\W|_/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");

/** A schema as a type, by its name if it has one. */
export function typeOf(schema: Schema, place: Place): string {
  const named = typeNameOf(schema);
  if (named !== null && named !== place.path) return place.quoted === true ? quote(named) : named;
  if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
  if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(", ")}]`;
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return union(alternatives.map((one, index) => typeOf(one, numbered(place, index))));
  if (typeof schema.type !== "string")
    return schema.type === undefined ? "Any" : union(schema.type.map((type) => typeOf({ ...schema, type }, place)));
  switch (schema.type) {
    case "array":
      return `List[${typeOf(schema.items ?? {}, place)}]`;
    case "object":
      return mapping(schema, place);
    default:
      return SIMPLE[schema.type] ?? "Any";
  }
}

const SIMPLE: Readonly<Record<string, string>> = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  null: "None",
};

const numbered = (place: Place, index: number): Place => ({ ...place, path: `${place.path}${index + 1}` });

function mapping(schema: Schema, place: Place): string {
  const { properties = {}, additionalProperties: values } = schema;
  if (Object.keys(properties).length > 0) {
    declare(place.path, schema, place.written);
    return place.quoted === true ? quote(place.path) : place.path;
  }
  return `Dict[str, ${typeof values === "object" ? typeOf(values, place) : "Any"}]`;
}

function union(types: readonly string[]): string {
  const different = [...new Set(types)];
  if (different.includes("Any")) return "Any";
  const others = different.filter((type) => type !== "None");
  const [first = "None"] = others;
  const all = others.length > 1 ? `Union[${others.join(", ")}]` : first;
  return others.length < different.length && others.length > 0 ? `Optional[${all}]` : all;
}

const literal = (value: unknown): string => {
  if (typeof value === "boolean") return value ? "True" : "False";
  return value === null ? "None" : JSON.stringify(value);
};

const quote = (type: string): string => `"${type.replaceAll('"', "'")}"`;

const comment = ({ description }: Schema): string =>
  description === undefined ? "" : `    #: ${plain(description)}\n`;

/** A meaning without links, for a comment or a text of three quotes. */
export const plain = (text: string): string =>
  text
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1")
    .replaceAll("\\", "\\\\")
    .replaceAll('"""', "'''")
    .replaceAll("\n", " ");
