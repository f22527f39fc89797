import { camelCase } from "../src/client/address.ts";
import type { RouteRow } from "../src/contract/route-table.ts";
import { typeNameOf } from "./client-records.ts";
import { INTERFACES } from "./interfaces.ts";
import { openApiOf } from "./openapi.ts";
import type { OpenApiDocument, Schema } from "./openapi-types.ts";
import { CHANGE, ENGINE_CALLS, NAMED_EXAMPLES, ORCHESTRATOR_CALLS } from "./client-calls.ts";

/** A method of a client, and the call that it is. */
export interface ClientCall {
  /** Its name, such as `files.read`. */
  readonly method: string;
  readonly route: string;
  /** The arguments before its options, by the names of the route's fields or of their own. */
  readonly takes?: readonly string[];
  /** Options of its own, and fields of the route that it fills in itself. */
  readonly own?: readonly string[];
  readonly without?: readonly string[];
  /** What it resolves with, where that is not the response; `AsyncGenerator<…>` and `Turn` are returned as they are. */
  readonly returns?: string;
  /** The arguments of the example. */
  readonly example: string;
}

/** A method as its document shows it. */
export interface Signature {
  readonly client: "engine" | "orchestrator";
  readonly method: string;
  readonly takes: readonly string[];
  /** The names of the options, with `?` where they can be left out. */
  readonly options: readonly string[];
  readonly returns: string;
  readonly example: string;
}

export const signatures = (): readonly Signature[] => [
  ...ENGINE_CALLS.map((call) => signatureOf("engine", call)),
  ...[...ORCHESTRATOR_CALLS, ...namedCalls()].map((call) => signatureOf("orchestrator", call)),
];

/** The methods of a product that are written from their routes: parameters of the path are arguments. */
const namedCalls = (): readonly ClientCall[] =>
  Object.entries<Row>(INTERFACES.orchestrator.routes).flatMap(([route, { clientMethod, auth, path, headers = {} }]) => {
    if (clientMethod === undefined || auth !== "platform") return [];
    const takes = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => camelCase(name));
    const example = takes.map((name) => (name === "userId" ? '"alice"' : `"${name}"`)).join(", ");
    const isChange = "Idempotency-Key" in headers;
    const change = isChange ? { without: ["idempotencyKey"], own: CHANGE } : {};
    return [{ method: clientMethod, route, takes, example: NAMED_EXAMPLES[clientMethod] ?? example, ...change }];
  });

/** The rows of a client's table. */
export const signatureRows = (client: Signature["client"]): readonly (readonly string[])[] =>
  signatures()
    .filter((row) => row.client === client)
    .map((row) => [`\`${shown(row)}\``, `\`${row.returns}\``, `\`${row.example}\``]);

function shown({ method, takes, options }: Signature): string {
  const all = [...takes, ...(options.length > 0 ? [`{ ${options.join(", ")} }`] : [])];
  return `${method}(${all.join(", ")})`;
}

type Row = RouteRow<string, string, string>;
const DOCUMENTS = { engine: openApiOf(INTERFACES.engine), orchestrator: openApiOf(INTERFACES.orchestrator) };

/** Fields that the client sends by itself. */
const FILLED_IN = ["ids", "lastEventId", "xOrchdEvents", "follow"];

function signatureOf(client: Signature["client"], call: ClientCall): Signature {
  const row = (INTERFACES[client].routes as Readonly<Record<string, Row>>)[call.route];
  if (row === undefined) throw new Error(`no route ${call.route} of the ${client}`);
  const { takes = [], own = [], without = [], method } = call;
  const answer = call.returns ?? answerOf(row, DOCUMENTS[client]);
  const isList = answer.startsWith("AsyncGenerator");
  const left = new Set([...takes, ...without, ...FILLED_IN, ...(isList ? ["limit", "cursor"] : [])]);
  const fields = fieldsOf(row, DOCUMENTS[client]).filter((name) => !left.has(name.replace("?", "")));
  const pages = isList && call.returns === undefined ? ["pageSize?"] : [];
  return {
    client,
    method,
    takes,
    options: [...fields, ...pages, ...own],
    returns: answer,
    example: exampleOf(client, call),
  };
}

const exampleOf = (client: Signature["client"], { method, example }: ClientCall): string =>
  `${client}.${method}(${example})`;

/** The fields of a route by their names in the client. */
function fieldsOf(row: Row, { paths, components }: OpenApiDocument): readonly string[] {
  const operation = paths[row.path]?.[row.method.toLowerCase()];
  const reference = operation?.requestBody?.content["application/json"]?.schema?.$ref?.split("/").at(-1);
  const body: Schema = components.schemas[reference ?? ""] ?? {};
  const named = (name: string, isRequired: boolean) => `${camelCase(name)}${isRequired ? "" : "?"}`;
  const isWhole = body.additionalProperties === false;
  return [
    ...(operation?.parameters ?? []).map(({ name, required = false }) => named(name, required)),
    ...Object.keys(isWhole ? {} : (body.properties ?? {})).map((name) =>
      named(row.clientNames?.[name] ?? name, body.required?.includes(name) === true),
    ),
  ];
}

/** The type of a JSON response; of a page that the client reads on by itself, of its items. */
function answerOf({ responses }: Row, { components }: OpenApiDocument): string {
  const names = Object.values(responses).flatMap((contents) =>
    contents.flatMap((content) => (content.kind === "json" ? [content.schema] : [])),
  );
  const [name = "never"] = names;
  const schema = components.schemas[name];
  const item = schema?.properties?.["data"]?.items;
  const isPage = item !== undefined && schema?.properties?.["next_cursor"] !== undefined;
  if (isPage) return `AsyncGenerator<${typeNameOf(item) ?? "object"}>`;
  return [...new Set(names.map((one) => components.schemas[one]?.title ?? one))].join(" | ");
}
