import type { Content, RouteRow } from "../src/contract/route-table.ts";
import { camelCase } from "../src/client/address.ts";
import { withoutLinks } from "../src/contract/meaning.ts";
import { docOf } from "./client-records.ts";
import { INTERFACES } from "./interfaces.ts";
import { type Interface, openApiOf } from "./openapi.ts";
import type { Operation, ParameterObject, Schema } from "./openapi-types.ts";

type Row = RouteRow<string, string, string>;

/** The files of `src/client` with the routes that it can call, and the types of their calls. */
export const clientRoutes = (): Readonly<Record<string, string>> => ({
  "src/client/orchestrator-routes.ts": routesOf(INTERFACES.orchestrator),
  "src/client/engine-routes.ts": routesOf(INTERFACES.engine),
});

function routesOf<Route extends Row>(of: Interface<Route>): string {
  const { paths, components } = openApiOf(of);
  const titles = new Set<string>();
  const title = (name: string): string => {
    const type = components.schemas[name]?.title ?? name;
    titles.add(type);
    return type;
  };
  const calls = Object.entries<Row>(of.routes).flatMap(([name, row]) => {
    const operation = paths[row.path]?.[row.method.toLowerCase()];
    const contents = Object.values(row.responses).flat();
    if (operation === undefined || row.rawBody === true || contents.some(isForOthers)) return [];
    const request = nameOf(operation.requestBody?.content["application/json"]?.schema);
    const schema = components.schemas[request ?? ""] ?? {};
    const body =
      request === null
        ? null
        : { request: Object.keys(schema.properties ?? {}).length === 0 ? request : title(request), schema };
    return [callOf({ name, row, operation, body, answer: answerOf(contents, title) })];
  });
  const imports = [...titles].sort().join(", ");
  return `// Written by "npm run generate" from the route tables in src/contract.

import type { ${imports} } from "./records.ts";
import type { Route } from "./route.ts";

${calls.join("\n")}`;
}

/** Pages and their files are for browsers, and the document for generators. */
const isForOthers = (content: Content<string>): boolean =>
  content.kind === "html" || content.kind === "file" || ("schema" in content && content.schema === "OpenApiDocument");

interface Body {
  readonly request: string;
  readonly schema: Schema;
}

const nameOf = (schema: Schema | undefined): string | null => schema?.$ref?.split("/").at(-1) ?? null;

/** The document that a call resolves with. Another body is read by its own function. */
function answerOf(contents: readonly Content<string>[], title: (name: string) => string): string {
  const names = contents.flatMap((content) => (content.kind === "json" ? [title(content.schema)] : []));
  return names.length === 0 ? "never" : [...new Set(names)].join(" | ");
}

interface Call {
  readonly name: string;
  readonly row: Row;
  readonly operation: Operation;
  readonly body: Body | null;
  readonly answer: string;
}

function callOf({ name, row, operation, body, answer }: Call): string {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Params`;
  const fields = [...operation.parameters.map(parameterField), ...bodyFields(row, body)];
  const of = (place: string) => operation.parameters.filter((one) => one.in === place).map((one) => one.name);
  const data = {
    method: row.method,
    path: row.path,
    ...listed("query", of("query")),
    ...listed("headers", of("header")),
    ...bodyOf(row, body),
    ...(row.clientNames !== undefined && { clientNames: row.clientNames }),
    ...(row.repeatable === false && { repeatable: false }),
    ...(row.timeout !== undefined && { timeout: row.timeout }),
  };
  const lines = Object.entries(data).map(([key, value]) => `  ${key}: ${JSON.stringify(value)},\n`);
  const params =
    fields.length === 0 ? `export type ${type} = object;` : `export interface ${type} {\n${fields.join("")}}`;
  return `${params}

/** ${withoutLinks(row.summary)}. */
export const ${name}: Route<${type}, ${answer}> = {
${lines.join("")}};
`;
}

const listed = (name: string, values: readonly string[]) => (values.length === 0 ? {} : { [name]: values });

/** Fields by their names, or `whole`: an unknown one must reach the service, which refuses it. */
function bodyOf(row: Row, body: Body | null) {
  if (row.requestArchive === true) return { upload: "application/gzip" };
  if (row.requestLines !== undefined) return { upload: "application/x-ndjson" };
  if (row.requestBytes === true) return { upload: "application/octet-stream" };
  if (body === null) return {};
  return { body: isStrict(body) ? "whole" : Object.keys(body.schema.properties ?? {}) };
}

const isStrict = ({ schema }: Body): boolean => schema.additionalProperties === false;

function bodyFields(row: Row, body: Body | null): readonly string[] {
  if (row.requestArchive === true) return ["  readonly body: Blob;\n"];
  if (row.requestBytes === true)
    return ["  readonly body: Blob | string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;\n"];
  if (row.requestLines !== undefined) return ["  readonly body: Blob | string | ReadableStream<Uint8Array>;\n"];
  if (body === null) return [];
  if (isStrict(body)) return [`  readonly body: ${body.request};\n`];
  const { properties = {}, required = [] } = body.schema;
  return Object.entries(properties).map(([name, property]) => {
    const type = `${body.request}["${name}"]`;
    const isRequired = required.includes(name);
    const clientName = row.clientNames?.[name] ?? name;
    return field({ name: clientName, type, isRequired, description: property.description ?? "" });
  });
}

const parameterField = ({ name, description, schema, required: isRequired = false }: ParameterObject): string =>
  field({ name, type: parameterType(schema), isRequired, description });

function parameterType({ type, enum: values }: Schema): string {
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (type === "object") return "Readonly<Record<string, string>>";
  return type === "integer" ? "number" : String(type);
}

function field(of: {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
}): string {
  const rest = of.isRequired ? `: ${of.type}` : `?: ${of.type} | undefined`;
  return `${docOf({ description: of.description }, "  ")}  readonly ${camelCase(of.name)}${rest};\n`;
}
