import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";
import type { CheckedInput, ToolInput } from "./tool-input.ts";

/** From a JSON Schema of somebody else's, interpreted and never compiled to code. Throws for one that is none. */
export function jsonSchemaInput(jsonSchema: Readonly<Record<string, unknown>>): ToolInput {
  const validate = new CfWorkerJsonSchemaValidator().getValidator<Readonly<Record<string, unknown>>>({ ...jsonSchema });
  return {
    jsonSchema,
    check(input): CheckedInput {
      if (typeof input !== "object" || input === null || Array.isArray(input))
        return { kind: "invalid", words: "invalid arguments: expected a JSON object" };
      try {
        const { valid, data, errorMessage } = validate(input);
        return valid
          ? { kind: "valid", input: data }
          : { kind: "invalid", words: `invalid arguments: ${errorMessage}` };
      } catch (error) {
        // A reference that leads nowhere is only found when a value comes to it.
        const reason = error instanceof Error ? error.message : String(error);
        return { kind: "invalid", words: `the tool's own schema cannot be used: ${reason}` };
      }
    },
  };
}
