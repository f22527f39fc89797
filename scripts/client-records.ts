import { ENGINE_EVENTS } from "../src/contract/engine/events.ts";
import type { OpenApiDocument, Schema } from "./openapi-types.ts";
import { INTERFACES } from "./interfaces.ts";
import { openApiOf } from "./openapi.ts";

/** Of components whose type has another name. */
const titles = new Map<string, string>();

/** The file `src/client/records.ts`: a type for each schema of the two interfaces, and for each part with a name. */
export function clientRecords(): string {
  const declarations = [...namedSchemas()].map(declarationOf);
  return `// Written by "npm run generate" from the schemas in src/contract.\n\n${declarations.join("\n")}`;
}

/** The schemas of the two interfaces, and their parts with names, by the names of their types. */
export function namedSchemas(): ReadonlyMap<string, Schema> {
  const types = new Map<string, Schema>();
  for (const document of [openApiOf(INTERFACES.orchestrator), openApiOf(INTERFACES.engine)]) collect(document, types);
  return new Map([...types].sort(([left], [right]) => left.localeCompare(right)));
}

/** The file `src/client/event-types.ts`, by which the client knows an event of a newer engine. */
export const clientEventTypes = (): string =>
  `// Written by "npm run generate" from src/contract/engine/events.ts.

export const ENGINE_EVENT_TYPES: readonly string[] = [
${Object.keys(ENGINE_EVENTS)
  .map((type) => `  "${type}",\n`)
  .join("")}];
`;

function collect({ components }: OpenApiDocument, types: Map<string, Schema>): void {
  const visit = (schema: Schema): void => {
    if (schema.title !== undefined && !types.has(schema.title)) types.set(schema.title, schema);
    for (const inner of innerOf(schema)) visit(inner);
  };
  for (const [name, schema] of Object.entries(components.schemas)) {
    if (schema.title !== undefined) titles.set(name, schema.title);
    else if (!NOT_EXPORTED.has(name)) types.set(name, schema);
    visit(schema);
  }
}

/** The client throws errors as exceptions, and does not read the document. */
const NOT_EXPORTED = new Set(["Error", "OpenApiDocument"]);

const innerOf = ({ properties, items, anyOf, oneOf, additionalProperties: rest }: Schema): readonly Schema[] => [
  ...Object.values(properties ?? {}),
  ...(items === undefined ? [] : [items]),
  ...(anyOf ?? []),
  ...(oneOf ?? []),
  ...(typeof rest === "object" ? [rest] : []),
];

function declarationOf([name, schema]: readonly [string, Schema]): string {
  const doc = docOf(schema, "");
  return Object.keys(schema.properties ?? {}).length === 0
    ? `${doc}export type ${name} = ${bodyOf(schema, "")};\n`
    : `${doc}export interface ${name} ${bodyOf(schema, "")}\n`;
}

export const docOf = ({ description }: Schema, indent: string): string =>
  description === undefined ? "" : `${indent}/** ${description.replaceAll("*/", "*\\/")} */\n`;

/** A schema as a type: by its name if it has one. */
const typeOf = (schema: Schema, indent: string): string => typeNameOf(schema) ?? bodyOf(schema, indent);

/** The name of a schema's type; null for one without. */
export function typeNameOf(schema: Schema): string | null {
  if (schema.title !== undefined) return schema.title;
  if (schema.$ref === undefined) return null;
  const component = schema.$ref.split("/").at(-1) ?? "";
  return titles.get(component) ?? component;
}

function bodyOf(schema: Schema, indent: string): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return alternatives.map((one) => typeOf(one, indent)).join(" | ");
  if (typeof schema.type !== "string")
    return (schema.type ?? ["unknown"]).map((type) => bodyOf({ ...schema, type }, indent)).join(" | ");
  switch (schema.type) {
    case "array":
      return listOf(typeOf(schema.items ?? {}, indent));
    case "object":
      return objectOf(schema, indent);
    case "integer":
      return "number";
    default:
      return schema.type;
  }
}

const listOf = (type: string): string => `readonly ${/ \| /.test(type) ? `(${type})` : type}[]`;

function objectOf(
  { properties = {}, required = [], additionalProperties: values, propertyNames }: Schema,
  indent: string,
): string {
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, property]) => {
    const type = typeOf(property, inner);
    const absent = type === "unknown" ? "" : " | undefined";
    const rest = required.includes(name) ? `: ${type}` : `?: ${type}${absent}`;
    return `${docOf(property, inner)}${inner}readonly ${name}${rest};\n`;
  });
  if (fields.length > 0) return `{\n${fields.join("")}${indent}}`;
  const key = propertyNames?.enum === undefined ? "string" : bodyOf(propertyNames, indent);
  return `Readonly<Record<${key}, ${typeof values === "object" ? typeOf(values, indent) : "unknown"}>>`;
}
