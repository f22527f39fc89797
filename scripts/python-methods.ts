import type { RouteRow } from "../src/contract/route-table.ts";
import { type Interface, openApiOf } from "./openapi.ts";
import type { Operation, ParameterObject, Schema } from "./openapi-types.ts";
import { typeNameOf } from "./client-records.ts";
import { plain, typeOf } from "./python-types.ts";

type Row = RouteRow<string, string, string>;

/** Arguments that the client fills in itself. */
const OWN = new Set(["ids", "Last-Event-ID", "X-Orchd-Events", "follow"]);
/** The route whose answer is a turn, and which also takes a message without reading its turn. */
const TURN = "execute";
const KEYWORDS = new Set(["from", "in", "class", "try", "global", "import", "is", "not", "or", "and", "as"]);

interface Argument {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  /** Of a field that is no parameter of the path. */
  readonly isKeyword: boolean;
  readonly meaning: string;
}

/** The routes of one interface as rows of Python, and a class with a method for each. `requests`: the types of their bodies. */
export function pythonMethods<Route extends Row>(
  className: string,
  of: Interface<Route>,
  isFor: (row: Route) => boolean,
): { readonly text: string; readonly requests: readonly string[] } {
  const { paths, components } = openApiOf(of);
  const rows: string[] = [];
  const methods: string[] = [];
  const requests: string[] = [];
  for (const [name, row] of Object.entries<Route>(of.routes)) {
    const operation = paths[row.path]?.[row.method.toLowerCase()];
    const kinds = Object.values(row.responses)
      .flat()
      .map(({ kind }) => kind);
    if (operation === undefined || !isFor(row) || kinds.includes("html") || name === "openapi") continue;
    const schema = bodySchema(operation, components.schemas);
    requests.push(requestName(operation));
    rows.push(rowOf(name, row, { operation, schema }));
    const args = argumentsOf(row, { operation, schema });
    methods.push(name === TURN ? turnMethods(name, row, args) : methodOf(name, row, { operation, args }));
  }
  return { text: `${rows.join("")}\n\nclass ${className}(_Client):\n${methods.join("\n")}`, requests };
}

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const constant = (name: string): string => `_${snake(name).toUpperCase()}`;
const argument = (name: string): string => {
  const plainName = name.toLowerCase().replaceAll(/[^a-z0-9]/g, "_");
  return KEYWORDS.has(plainName) ? `${plainName}_` : plainName;
};

function bodySchema(operation: Operation, schemas: Readonly<Record<string, Schema>>): Schema | null {
  const reference = operation.requestBody?.content["application/json"]?.schema?.$ref;
  return reference === undefined ? null : (schemas[reference.split("/").at(-1) ?? ""] ?? null);
}

interface Parts {
  readonly operation: Operation;
  readonly schema: Schema | null;
}

const isStrict = ({ additionalProperties }: Schema): boolean => additionalProperties === false;

function rowOf(name: string, row: Row, { operation, schema }: Parts): string {
  const of = (place: string) => operation.parameters.filter((one) => one.in === place).map((one) => one.name);
  const upload = uploadOf(row);
  const asked = Object.keys(schema?.properties ?? {});
  const wait = row.query?.["timeout_s"];
  const fields = [
    tuple("query", of("query")),
    tuple("headers", of("header")),
    upload !== null && `upload="${upload}"`,
    schema !== null && isStrict(schema) && 'body="whole"',
    schema !== null && !isStrict(schema) && `body=${list(asked)}`,
    row.clientNames !== undefined && `names=${JSON.stringify(row.clientNames)}`,
    row.repeatable === false && "repeatable=False",
    row.timeout !== undefined && `timeout="${row.timeout}"`,
    wait?.kind === "integer" && `wait=("timeout_s", ${wait.fallback})`,
    asked.includes("drain_s") && 'wait=("drain_s", 0)',
  ].filter((field) => typeof field === "string");
  return `${constant(name)} = _Route(${[`"${row.method}"`, `"${row.path}"`, ...fields].join(", ")})\n`;
}

function uploadOf({ requestArchive, requestLines, requestBytes }: Row): string | null {
  if (requestArchive === true) return "application/gzip";
  if (requestLines !== undefined) return "application/x-ndjson";
  return requestBytes === true ? "application/octet-stream" : null;
}

const list = (names: readonly string[]): string =>
  `(${names.map((name) => `"${name}"`).join(", ")}${names.length === 1 ? "," : ""})`;
const tuple = (name: string, names: readonly string[]): string | false => names.length > 0 && `${name}=${list(names)}`;

function argumentsOf(row: Row, { operation, schema }: Parts): readonly Argument[] {
  const parameters = operation.parameters.filter(({ name }) => !OWN.has(name) || isLog(row, name)).map(parameter);
  const upload = uploadOf(row);
  if (upload !== null)
    parameters.push(one("body", "Union[bytes, str, Iterable[bytes]]", "What is sent. A stream is sent only once"));
  if (schema !== null && isStrict(schema)) parameters.push(one("body", requestName(operation), "The fields"));
  if (schema !== null && !isStrict(schema)) {
    const { properties = {}, required = [] } = schema;
    for (const [field, property] of Object.entries(properties))
      parameters.push({
        name: argument(row.clientNames?.[field] ?? field),
        type: typeOf(property, { path: `${requestName(operation)}${pascal(field)}`, written: new Map() }),
        isRequired: required.includes(field),
        isKeyword: true,
        meaning: property.description ?? "",
      });
  }
  return parameters;
}

/** A log ends or is followed by one method. */
const isLog = ({ responses }: Row, name: string): boolean => name === "follow" && responses[200]?.[0]?.kind === "text";

const one = (name: string, type: string, meaning: string): Argument => ({
  name,
  type,
  isRequired: true,
  isKeyword: false,
  meaning,
});

const pascal = (field: string): string => field.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

const requestName = (operation: Operation): string =>
  operation.requestBody?.content["application/json"]?.schema?.$ref?.split("/").at(-1) ?? "";

const parameter = ({
  name,
  in: place,
  required: isRequired = false,
  description,
  schema,
}: ParameterObject): Argument => ({
  name: argument(name),
  type: typeOf(schema, { path: "", written: new Map() }),
  isRequired,
  isKeyword: place !== "path",
  meaning: description,
});

/** Parameters of the path and of an upload come first, everything else is named. */
function signature(args: readonly Argument[], more: readonly string[] = []): string {
  const positional = args.filter(({ isKeyword }) => !isKeyword).map(({ name, type }) => `${name}: ${type}`);
  const named = args
    .filter(({ isKeyword }) => isKeyword)
    .sort((left, right) => Number(right.isRequired) - Number(left.isRequired))
    .map(({ name, type, isRequired }) => `${name}: ${type}${isRequired ? "" : " = OMITTED"}`);
  const all = [...named, ...more];
  return ["self", ...positional, ...(all.length > 0 ? ["*", ...all] : [])].join(", ");
}

function docOf(row: Row, args: readonly Argument[]): string {
  const lines = args.map(({ name, meaning }) => `        ${name}: ${plain(meaning).replace(/\.$/, "")}.\n`);
  const once = row.repeatable === false ? " Not sent again after a lost response." : "";
  const head = `        """${plain(row.summary)}.${once}`;
  return lines.length === 0 ? `${head}"""\n` : `${head}\n\n${lines.join("")}        """\n`;
}

const filled = (args: readonly Argument[]): string => `{${args.map(({ name }) => `"${name}": ${name}`).join(", ")}}`;

function methodOf(
  name: string,
  row: Row,
  { operation, args }: { readonly operation: Operation; readonly args: readonly Argument[] },
): string {
  const answer = answerOf(operation);
  const by = answer === null ? "_download" : "_call";
  return `    def ${snake(name)}(${signature(args)}) -> ${answer ?? "Download"}:
${docOf(row, args)}        return self.${by}(${constant(name)}, ${filled(args)})
`;
}

/** The type of a JSON answer. Another body is read as it arrives. */
function answerOf({ responses }: Operation): string | null {
  const schemas = Object.entries(responses).flatMap(([status, { content }]) => {
    const schema = Number(status) < 300 ? content["application/json"]?.schema : undefined;
    return schema === undefined ? [] : [typeNameOf(schema) ?? "Dict[str, Any]"];
  });
  const different = [...new Set(schemas)];
  if (different.length === 0) return null;
  return different.length === 1 ? (different[0] ?? null) : `Union[${different.join(", ")}]`;
}

function turnMethods(name: string, row: Row, args: readonly Argument[]): string {
  const more = [
    "on_human: Optional[OnHuman] = None",
    "tools: Optional[Tools] = None",
    "on_retry: Optional[OnRetry] = None",
  ];
  const sent = args.filter((one) => !["events", "on_disconnect"].includes(one.name));
  const described: readonly Argument[] = [
    ...args,
    one(
      "on_human",
      "",
      "Called with each question and permission prompt. It returns the answer, or None to leave it open",
    ),
    one("tools", "", "Functions for the calls of `client_tools`, by their names"),
  ];
  return `    def ${snake(name)}(${signature(args, more)}) -> Turn:
${docOf(row, described)}        return self._execute(${constant(name)}, ${filled(args)}, on_human, tools, on_retry)

    def send(${signature(sent)}) -> SentMessage:
        """Send a message that may wait, without reading its turn: \`when_busy\` is "queue" or "steer"."""
        return self._call(${constant(name)}, ${filled(sent)})
`;
}
