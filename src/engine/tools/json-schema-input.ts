import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";
import type { CheckedInput, ToolInput } from "./tool-input.ts";

/** Input validated by an untrusted JSON Schema, which is interpreted, not compiled. Throws for an invalid schema. */
export function jsonSchemaInput(jsonSchema: Readonly<Record<string, unknown>>): ToolInput {
  const validate = new CfWorkerJsonSchemaValidator().getValidator<Readonly<Record<string, unknown>>>({ ...jsonSchema });
  return {
    jsonSchema,
    check(input): CheckedInput {
      if (typeof input !== "object" || input === null || Array.isArray(input))
        return { kind: "invalid", message: "invalid arguments: expected a JSON object" };
      try {
        const { valid, data, errorMessage } = validate(input);
        return valid
          ? { kind: "valid", input: data }
          : { kind: "invalid", message: `invalid arguments: ${errorMessage}` };
      } catch (error) {
        // An unresolved reference is found only during validation.
        const reason = error instanceof Error ? error.message : String(error);
        return { kind: "invalid", message: `the tool's schema is invalid: ${reason}` };
      }
    },
  };
}
