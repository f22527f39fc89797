import * as z from "zod/mini";
import { InvalidInput, parse } from "../../shared/parse.ts";
import { jsonSchemaInput } from "../tools/json-schema-input.ts";
import type { ToolInput } from "../tools/tool-input.ts";
import { BadEntry, requireSameName } from "./catalog-entry.ts";
import { placeholdersIn } from "./fill-in.ts";
import { isDisabled } from "./front-matter.ts";

const text = z.string().check(z.maxLength(10_000));
const texts = z.record(z.string().check(z.regex(/^[A-Za-z_][\w-]{0,127}$/, "expected a plain name")), text);

/** An inner list is omitted if one of its arguments is missing. */
const command = z.strictObject({
  argv: z.array(z.union([text, z.array(text)])).check(z.minLength(1), z.maxLength(200)),
  env: z.optional(texts),
});

const http = z.strictObject({
  method: z.optional(z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])),
  url: text,
  query: z.optional(texts),
  headers: z.optional(texts),
  body: z.optional(z.unknown()),
});

/** Strict, as agent files are. */
const toolFields = z.strictObject({
  name: z.optional(z.string()),
  description: z.string().check(z.minLength(1), z.maxLength(4000)),
  parameters: z.optional(z.record(z.string(), z.unknown())),
  command: z.optional(command),
  http: z.optional(http),
  secrets: z.optional(texts),
  permission: z.optional(z.enum(["allow", "ask"])),
  read_only: z.optional(z.boolean()),
  timeout_s: z.optional(z.int().check(z.gte(1), z.lte(600))),
  disabled: z.optional(z.boolean()),
});

export type CommandAction = z.output<typeof command>;
export type HttpAction = z.output<typeof http>;

/** A command or HTTP tool declared in a file. */
export interface DeclaredTool {
  readonly name: string;
  readonly description: string;
  readonly input: ToolInput;
  readonly action:
    | { readonly kind: "command"; readonly command: CommandAction }
    | { readonly kind: "http"; readonly http: HttpAction };
  /** File of each secret, relative to the catalog folder. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly permission: "allow" | "ask";
  readonly readOnly: boolean;
  readonly timeoutMs: number;
}

const DEFAULT_TIMEOUT_S = 60;

/** Null if disabled. Throws {@link BadEntry}. */
export function parseDeclaredTool(fileName: string, file: string): DeclaredTool | null {
  const json = readJson(file);
  if (isDisabled(json)) {
    requireSameName(read(z.partial(toolFields), json).name ?? fileName, fileName);
    return null;
  }
  const fields = read(toolFields, json);
  const { description, parameters = { type: "object" }, secrets = {}, permission = "ask" } = fields;
  requireSameName(fields.name ?? fileName, fileName);
  if (!/^[A-Za-z]\w{0,63}$/.test(fileName))
    throw new BadEntry("name: expected up to 64 letters, digits and underscores, a letter first");
  const action = actionOf(fields);
  requireKnownPlaceholders(action, { parameters, secrets });
  const idempotent = action.kind === "http" && ["GET", "HEAD"].includes(action.http.method ?? "GET");
  const readOnly = fields.read_only ?? idempotent;
  const timeoutMs = (fields.timeout_s ?? DEFAULT_TIMEOUT_S) * 1000;
  const input = inputOf(parameters);
  return { name: fileName, description, input, action, secrets, permission, readOnly, timeoutMs };
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(file);
  } catch (error) {
    if (error instanceof SyntaxError) throw new BadEntry(`invalid JSON: ${error.message}`);
    // The parser's recursion limit.
    if (error instanceof RangeError) throw new BadEntry("nested too deep");
    throw error;
  }
}

function read<S extends z.ZodMiniObject>(schema: S, json: unknown): z.output<S> {
  try {
    return parse(schema, json).value;
  } catch (error) {
    if (error instanceof InvalidInput) throw new BadEntry(error.message);
    if (error instanceof RangeError) throw new BadEntry("nested too deep");
    throw error;
  }
}

function actionOf({ command, http }: z.output<typeof toolFields>): DeclaredTool["action"] {
  if (command !== undefined && http === undefined) {
    const program = command.argv[0];
    if (typeof program !== "string" || program === "" || program.includes("{{"))
      throw new BadEntry("command.argv.0: expected a program, without a placeholder");
    return { kind: "command", command };
  }
  if (http === undefined || command !== undefined) throw new BadEntry("expected either command or http");
  // Arguments must not choose the host: placeholders are allowed only after it.
  if (!/^https?:\/\/[^/?#@{}\s]+(?:[/?]|$)/.test(http.url) || !URL.canParse(http.url))
    throw new BadEntry("http.url: expected http:// or https://, a host without placeholder or password, and a path");
  return { kind: "http", http };
}

function requireKnownPlaceholders(
  action: DeclaredTool["action"],
  { parameters, secrets }: Pick<DeclaredTool, "secrets"> & { parameters: Readonly<Record<string, unknown>> },
): void {
  const { properties = {} } = parameters;
  const given = new Set(typeof properties === "object" && properties !== null ? Object.keys(properties) : []);
  const named = new Set(Object.keys(secrets).map((name) => `secret:${name}`));
  // Program arguments are visible to all users of the host, and URLs appear in error messages: no place for secrets.
  const [visible, hidden] =
    action.kind === "command"
      ? [[action.command.argv], [action.command.env]]
      : [[action.http.url], [action.http.query, action.http.headers, action.http.body]];
  for (const name of [...placeholdersIn(visible), ...placeholdersIn(hidden)]) {
    if (!given.has(name) && !named.has(name))
      throw new BadEntry(`unknown placeholder {{${name}}}: expected a name in parameters.properties or secrets`);
  }
  for (const name of placeholdersIn(visible))
    if (named.has(name))
      throw new BadEntry(
        `{{${name}}}: a secret is allowed in ${action.kind === "command" ? "env" : "query, headers and body"} only`,
      );
}

function inputOf(parameters: Readonly<Record<string, unknown>>): ToolInput {
  if (parameters["type"] !== "object") throw new BadEntry('parameters.type: expected "object"');
  try {
    return jsonSchemaInput(parameters);
  } catch (error) {
    throw new BadEntry(`parameters: expected a JSON Schema: ${error instanceof Error ? error.message : String(error)}`);
  }
}
