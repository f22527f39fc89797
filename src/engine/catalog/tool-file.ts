import * as z from "zod/mini";
import { type JsonLines, jsonLines } from "../../shared/json-lines.ts";
import { InvalidInput, parse } from "../../shared/parse.ts";
import { jsonSchemaInput } from "../tools/json-schema-input.ts";
import type { ToolInput } from "../tools/tool-input.ts";
import { identityProblem } from "../tools/web/identity-source.ts";
import { BadEntry, checkAll, requireSameName } from "./catalog-entry.ts";
import { isDisabled } from "./front-matter.ts";
import { type ToolAction, command, http, texts } from "./tool-action.ts";
import { requirePlainScripts } from "./plain-scripts.ts";
import { requireKnownPlaceholders } from "./tool-placeholders.ts";

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
  runs: z.optional(z.enum(["client"])),
  output_schema: z.optional(z.record(z.string(), z.unknown())),
  always_load: z.optional(z.boolean()),
  disabled: z.optional(z.boolean()),
});

/** A tool declared in a file: a command, an HTTP call, or one that the client runs. */
export interface DeclaredTool {
  readonly name: string;
  readonly description: string;
  readonly input: ToolInput;
  readonly action: ToolAction | { readonly kind: "client"; readonly outputSchema: JsonSchema | null };
  /** File of each secret, relative to the catalog folder. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly permission: "allow" | "ask";
  readonly readOnly: boolean;
  readonly timeoutMs: number;
  readonly alwaysLoad: boolean;
}

type JsonSchema = Readonly<Record<string, unknown>>;

const DEFAULT_TIMEOUT_S = 60;

/** Null if disabled. Throws {@link BadEntry}. */
export function parseDeclaredTool(fileName: string, file: string): DeclaredTool | null {
  const json = readJson(file);
  if (isDisabled(json)) {
    requireSameName(read(z.partial(toolFields), json, file).name ?? fileName, fileName);
    return null;
  }
  const fields = read(toolFields, json, file);
  const { description, parameters = { type: "object" }, secrets = {}, always_load: alwaysLoad = false } = fields;
  const { permission = fields.runs === "client" ? "allow" : "ask" } = fields;
  const lines = jsonLines(file);
  checkAll(
    () => requireSameName(fields.name ?? fileName, fileName),
    () => requireToolName(fileName),
    () => inputOf(parameters, lines),
    () => requirePlainScripts(fields.command?.argv ?? [], lines),
    () => requireFieldsOf(fields, lines),
    () => {
      const action = actionOf(fields, lines);
      if (action.kind !== "client")
        requireKnownPlaceholders(action, { parameters, secrets: Object.keys(secrets), file });
    },
  );
  const action = actionOf(fields, lines);
  const idempotent = action.kind === "http" && ["GET", "HEAD"].includes(action.http.method ?? "GET");
  const readOnly = fields.read_only ?? idempotent;
  const timeoutMs = (fields.timeout_s ?? DEFAULT_TIMEOUT_S) * 1000;
  const input = inputOf(parameters, lines);
  return { name: fileName, description, input, action, secrets, permission, readOnly, timeoutMs, alwaysLoad };
}

function requireToolName(fileName: string): void {
  if (!/^[A-Za-z]\w{0,63}$/.test(fileName))
    throw new BadEntry("name: expected up to 64 letters, digits and underscores, a letter first");
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(file);
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new BadEntry(`invalid JSON: ${error.message}`, jsonLines(file).errorLine ?? 1);
    // The parser's recursion limit.
    if (error instanceof RangeError) throw new BadEntry("nested too deep");
    throw error;
  }
}

function read<S extends z.ZodMiniObject>(schema: S, json: unknown, file: string): z.output<S> {
  try {
    return parse(schema, json).value;
  } catch (error) {
    if (error instanceof InvalidInput) {
      const { lineOf } = jsonLines(file);
      throw new BadEntry(error.all.map(({ path, message }) => ({ message, line: lineOf(path) })));
    }
    if (error instanceof RangeError) throw new BadEntry("nested too deep");
    throw error;
  }
}

function actionOf(
  { runs, command, http, output_schema: outputSchema }: z.output<typeof toolFields>,
  { lineOf }: Pick<JsonLines, "lineOf">,
): DeclaredTool["action"] {
  if (runs === "client") return { kind: "client", outputSchema: outputSchema ?? null };
  if (command !== undefined && http === undefined) {
    const program = command.argv[0];
    if (typeof program !== "string" || program === "" || program.includes("{{"))
      throw new BadEntry("command.argv.0: expected a program, without a placeholder", lineOf(["command", "argv", "0"]));
    return { kind: "command", command };
  }
  if (http === undefined || command !== undefined) throw new BadEntry("expected one of command, http and runs");
  // Arguments must not choose the host: placeholders are allowed only after it.
  if (!/^https?:\/\/[^/?#@{}\s]+(?:[/?]|$)/.test(http.url) || !URL.canParse(http.url))
    throw new BadEntry(
      "http.url: expected http:// or https://, a host without placeholder or password, and a path",
      lineOf(["http", "url"]),
    );
  const problem = identityProblem(http.identity, http.headers ?? {});
  if (problem !== null) throw new BadEntry(`http.identity: ${problem}`, lineOf(["http", "identity"]));
  return { kind: "http", http };
}

/** The fields of a tool that the client runs, or of one that the engine runs. */
function requireFieldsOf(fields: z.output<typeof toolFields>, { lineOf }: Pick<JsonLines, "lineOf">): void {
  const others =
    fields.runs === "client"
      ? (["command", "http", "secrets", "timeout_s", "read_only"] as const)
      : (["output_schema"] as const);
  const [unfit] = others.filter((name) => fields[name] !== undefined);
  if (unfit !== undefined) {
    const whose = fields.runs === "client" ? "that the client runs has no such field" : "has it only with runs: client";
    throw new BadEntry(`${unfit}: a tool ${whose}`, lineOf([unfit]));
  }
  if (fields.output_schema !== undefined) readSchema("output_schema", fields.output_schema, { lineOf });
}

function inputOf(parameters: Readonly<Record<string, unknown>>, { lineOf }: Pick<JsonLines, "lineOf">): ToolInput {
  if (parameters["type"] !== "object")
    throw new BadEntry('parameters.type: expected "object"', lineOf(["parameters", "type"]));
  return readSchema("parameters", parameters, { lineOf });
}

function readSchema(field: string, schema: JsonSchema, { lineOf }: Pick<JsonLines, "lineOf">): ToolInput {
  try {
    return jsonSchemaInput(schema);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new BadEntry(`${field}: expected a JSON Schema: ${reason}`, lineOf([field]));
  }
}
