import * as z from "zod/mini";
import type { Content, Parameter, RouteRow } from "../src/contract/route-table.ts";
import { withoutLinks } from "../src/contract/meaning.ts";
import { VERSION } from "../src/shared/version.ts";
import { exampleOf } from "./example.ts";
import type { Contents, OpenApiDocument, Operation, ParameterObject, ResponseObject, Schema } from "./openapi-types.ts";

type Row = RouteRow<string, string, string>;

/** The input of an interface's OpenAPI document. */
export interface Interface<Route extends Row = Row> {
  readonly title: string;
  readonly description: string;
  readonly routes: Readonly<Record<string, Route>>;
  /** The schemas, including `Error`, the body of every error response. */
  readonly schemas: Readonly<Record<string, z.ZodMiniType>>;
  readonly errors: Readonly<Record<string, { readonly status: number | null; readonly cause: string }>>;
  errorsOf(route: Route): readonly string[];
  /** The headers of each authentication, of which a call needs one. */
  readonly keys: Readonly<Record<string, readonly string[]>>;
  /** Authentications without a key. One that is in `keys` too accepts both. */
  readonly keyless: readonly string[];
  /** The descriptions of path parameters. */
  readonly path: Readonly<Record<string, string>>;
}

/** The OpenAPI 3.1 document of an interface. */
export function openApiOf<Route extends Row>(of: Interface<Route>): OpenApiDocument {
  const paths: Record<string, Record<string, Operation>> = {};
  const requests = requestNames(of);
  for (const [name, route] of Object.entries(of.routes)) {
    const item = (paths[route.path] ??= {});
    item[route.method.toLowerCase()] = operation(of, { name, route, requests });
  }
  return {
    openapi: "3.1.0",
    info: { title: of.title, version: VERSION, description: of.description },
    paths,
    components: {
      schemas: schemasOf(of, requests),
      securitySchemes: Object.fromEntries(
        Object.values(of.keys)
          .flat()
          .map((header) => [header, { type: "apiKey", in: "header", name: header }]),
      ),
    },
  };
}

type RequestNames = ReadonlyMap<z.ZodMiniType, string>;

/** A request schema is named after the first route that takes it, and one without fields after that. */
function requestNames<Route extends Row>({ routes }: Interface<Route>): RequestNames {
  const names = new Map<z.ZodMiniType, string>();
  for (const [name, { request }] of Object.entries(routes)) {
    if (request !== undefined && !names.has(request))
      names.set(
        request,
        hasFields(request) ? `${name.charAt(0).toUpperCase()}${name.slice(1)}Request` : "EmptyRequest",
      );
  }
  return names;
}

const hasFields = ({ def }: z.ZodMiniObject): boolean => Object.keys(def.shape).length > 0;

function operation<Route extends Row>(
  of: Interface<Route>,
  { name, route, requests }: { readonly name: string; readonly route: Route; readonly requests: RequestNames },
): Operation {
  const body = requestBody(route, requests);
  return {
    operationId: name,
    summary: withoutLinks(route.summary),
    tags: [route.path.split("/")[1] ?? ""],
    security: [
      ...(of.keyless.includes(route.auth) ? [{}] : []),
      ...(of.keys[route.auth] ?? []).map((header) => ({ [header]: [] })),
    ],
    parameters: [
      ...[...route.path.matchAll(/\{(\w+)\}/g)].map(([, parameter = ""]) => ({
        name: parameter,
        in: "path" as const,
        required: true,
        description: meaningOf(of, parameter, route.path),
        schema: { type: "string" },
      })),
      ...parametersOf("query", route.query),
      ...parametersOf("header", route.headers),
    ],
    ...(body !== null && { requestBody: body }),
    responses: { ...successes(route), ...refusals(of, route) },
  };
}

function meaningOf({ path: meanings }: Pick<Interface, "path">, parameter: string, path: string): string {
  const meaning = meanings[parameter];
  if (meaning === undefined)
    throw new Error(`${path}: say what {${parameter}} is, by a line in \`path\` of scripts/interfaces.ts`);
  return meaning;
}

const parametersOf = (place: "query" | "header", parameters: Row["query"] = {}): ParameterObject[] =>
  Object.entries(parameters).map(([name, parameter]) => ({
    name,
    in: place,
    description:
      parameter.kind === "map"
        ? `${parameter.summary}. Each is a query parameter of its own, \`${name}.<key>=<value>\``
        : parameter.summary,
    schema: parameterSchema(parameter),
  }));

function parameterSchema(parameter: Parameter): Schema {
  switch (parameter.kind) {
    case "integer":
      return { type: "integer", minimum: parameter.min, maximum: parameter.max, default: parameter.fallback };
    case "flag":
      return { type: "boolean", default: false };
    case "choice":
      return {
        type: "string",
        enum: parameter.values,
        ...(parameter.fallback !== null && { default: parameter.fallback }),
      };
    case "map":
      return { type: "object", additionalProperties: { type: "string" } };
    case "text":
      return { type: "string", ...(parameter.maxLength !== undefined && { maxLength: parameter.maxLength }) };
    default:
      return parameter satisfies never;
  }
}

function requestBody(
  { request, requestArchive, requestLines, requestBytes, rawBody }: Row,
  requests: RequestNames,
): NonNullable<Operation["requestBody"]> | null {
  if (requestArchive === true) return { required: true, content: ARCHIVE };
  if (requestLines !== undefined) return { required: true, content: { "application/x-ndjson": linesOf(requestLines) } };
  if (rawBody || requestBytes) return { required: true, content: { "*/*": { schema: {} } } };
  if (request === undefined) return null;
  const required = !request.safeParse({}).success;
  return { required, content: { "application/json": { schema: reference(requests.get(request) ?? "") } } };
}

const successes = ({ responses }: Row): Operation["responses"] =>
  Object.fromEntries(
    Object.entries(responses).map(([status, contents]) => [
      status,
      {
        description: DESCRIPTIONS[status] ?? "Success",
        content: Object.assign({}, ...contents.map(mediaType)) as Contents,
      },
    ]),
  );
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  206: "Partial Content",
  303: "See Other",
  304: "Not Modified",
};

const ARCHIVE: Contents = { "application/gzip": { schema: { type: "string" } } };

function mediaType(content: Content<string>): Contents {
  switch (content.kind) {
    case "json":
      return { "application/json": { schema: reference(content.schema) } };
    case "lines":
      return { "application/x-ndjson": linesOf(content.schema) };
    case "events": {
      const description = `Server-sent events. The \`event:\` and \`data:\` lines of a frame are the fields of ${content.schema}; the data is JSON.`;
      return { "text/event-stream": { schema: { type: "string", description }, "x-item": reference(content.schema) } };
    }
    case "text":
      return { "text/plain": { schema: { type: "string" } } };
    case "html":
      return { "text/html": { schema: { type: "string" } } };
    case "file":
    case "bytes":
      return { "*/*": { schema: {} } };
    case "archive":
      return ARCHIVE;
    case "zip":
      return { "application/zip": { schema: { type: "string" } } };
    default:
      return content satisfies never;
  }
}

const linesOf = (schema: string): Contents[string] => ({
  schema: { type: "string", description: `One JSON document a line, each a ${schema}.` },
  "x-item": reference(schema),
});

/** One response for each status. Its description lists the error codes. */
function refusals<Route extends Row>(of: Interface<Route>, route: Route): Operation["responses"] {
  const byStatus = new Map<number, string[]>();
  for (const code of of.errorsOf(route)) {
    const row = of.errors[code];
    if (row === undefined || row.status === null) throw new Error(`${route.path}: ${code} has no status`);
    byStatus.set(row.status, [...(byStatus.get(row.status) ?? []), `\`${code}\`: ${row.cause}`]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]): [string, ResponseObject] => [
      String(status),
      {
        description: codes.join("\n\n"),
        ...((status === 429 || status === 503) && {
          headers: { "Retry-After": { description: "Seconds", schema: { type: "integer" } } },
        }),
        content: { "application/json": { schema: reference("Error") } },
      },
    ]),
  );
}

function schemasOf<Route extends Row>(
  { schemas }: Interface<Route>,
  requests: RequestNames,
): Readonly<Record<string, Schema>> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  for (const [schema, id] of requests) registry.add(schema, { id });
  const made = z.toJSONSchema(registry, { io: "input", uri: (id) => reference(id).$ref, unrepresentable: "any" });
  const components = Object.fromEntries(
    Object.entries(made.schemas)
      .sort(([left], [right]) => left.localeCompare(right))
      .map(([name, { $schema: _schema, $id: _id, ...schema }]) => [name, schema as Schema]),
  );
  return Object.fromEntries(
    Object.entries(components).map(([name, schema]) => [
      name,
      schema.properties === undefined ? schema : { ...schema, examples: [exampleOf(schema, components)] },
    ]),
  );
}

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
