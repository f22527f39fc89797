import type { OutputSchema } from "../../contract/engine/output-schema.ts";
import { SUBMIT_RESULT } from "../../contract/engine/tool-names.ts";
import { jsonSchemaInput } from "./json-schema-input.ts";
import type { Tool } from "./tool.ts";
import type { ToolInput } from "./tool-input.ts";

/** The tool by which a model gives the result of a turn with an output schema: its input is the result. */
export const submitResultTool = (schema: OutputSchema): Tool => ({
  ...SUBMIT_RESULT_TOOL,
  input: resultInput(schema),
});

/** Without a schema: what records of calls need. */
export const SUBMIT_RESULT_TOOL: Tool = {
  name: SUBMIT_RESULT,
  description:
    "Submits the result of the task, which ends it. The input is the result. Call it once, when all other work is done, and not together with other tools.",
  input: resultInput({ type: "object" }),
  readOnly: true,
  permission: "allow",
  returns: "own",
  bookkeeping: true,
  endsTurn: true,
  resources: () => [],
  run: async () => "accepted",
};

function resultInput(schema: OutputSchema): ToolInput {
  // `$schema` is for validators; some providers refuse it.
  const { $schema: _, ...jsonSchema } = schema;
  return jsonSchemaInput(jsonSchema, { limited: true });
}
