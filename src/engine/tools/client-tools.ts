import type { ClientTool } from "../../contract/engine/client-tool.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { jsonSchemaCheck, jsonSchemaInput } from "./json-schema-input.ts";
import type { ToolInput } from "./tool-input.ts";
import { type Tool, ToolFailed } from "./tool.ts";

/** The source of tools that came with the message. */
export const CLIENT_SOURCE = "client";

export interface ClientToolParts {
  readonly name: string;
  readonly description: string;
  readonly input: ToolInput;
  readonly outputSchema: Readonly<Record<string, unknown>> | null;
  readonly source: string;
}

/** A tool whose calls the client runs. What it returns counts as external. */
export function clientTool({ outputSchema, ...tool }: ClientToolParts): Tool {
  return {
    ...tool,
    // After a restart the call waits for the same answer.
    readOnly: true,
    permission: "allow",
    runsOnClient: true,
    resources: () => [],
    async run(input, context) {
      if (context.callClient === undefined) throw new ToolFailed("no client can run this tool here");
      return context.callClient({ input, outputSchema });
    },
  };
}

/** The tools of an `execute` call that was checked. */
export const clientToolsOf = (definitions: readonly ClientTool[]): readonly Tool[] =>
  definitions.map(({ name, description, input_schema, output_schema = null }) =>
    clientTool({
      name,
      description,
      input: jsonSchemaInput(input_schema),
      outputSchema: output_schema,
      source: CLIENT_SOURCE,
    }),
  );

/** Throws for the first tool with a name in use or a schema that cannot be read, named by its field. */
export function checkClientTools(
  definitions: readonly ClientTool[],
  isTaken: (name: string) => boolean,
  list = "client_tools",
): void {
  const names = new Set<string>();
  for (const [at, { name, input_schema, output_schema }] of definitions.entries()) {
    const field = `${list}.${at}`;
    if (isTaken(name))
      throw new InvalidInput(
        `${field}.name`,
        `${name} is a built-in tool or one of the catalog, expected another name`,
      );
    if (names.has(name)) throw new InvalidInput(`${field}.name`, `${name} is there twice, expected another name`);
    names.add(name);
    requireSchema(`${field}.input_schema`, input_schema);
    if (output_schema !== undefined) requireSchema(`${field}.output_schema`, output_schema);
  }
}

function requireSchema(field: string, schema: Readonly<Record<string, unknown>>): void {
  let problem: string | null;
  try {
    const found = jsonSchemaCheck(schema)({});
    problem = found?.kind === "bad_schema" ? found.message : null;
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  if (problem !== null) throw new InvalidInput(field, `expected a JSON Schema: ${problem}`);
}

/** What is wrong with an output, by the path of its first wrong value; null when it matches the schema. */
export function outputProblem(schema: Readonly<Record<string, unknown>>, output: unknown): string | null {
  const problem = jsonSchemaCheck(schema)(output);
  if (problem === null) return null;
  if (problem.kind !== "mismatch") return `output: the ${problem.message}`;
  // The validator names each level on the way to the wrong value, the outermost first.
  const [innermost = ""] = problem.message.split(/; (?=#)/).toReversed();
  const [, pointer = "", reason = innermost] = /^#([^:]*): ([^]*)$/.exec(innermost) ?? [];
  return `output${pointer.replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~")}: ${reason}`;
}
