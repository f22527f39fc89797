import * as z from "zod/mini";
import { InvalidInput, parse } from "../../shared/parse.ts";

export type CheckedInput =
  | { readonly kind: "valid"; readonly input: Readonly<Record<string, unknown>> }
  /** `message` is for the model. */
  | { readonly kind: "invalid"; readonly message: string };

/** The input of a tool: its schema for the model, and its validation before the call. */
export interface ToolInput {
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  check(input: unknown): CheckedInput;
}

/** Derives both from one zod schema. */
export function toolInput(schema: z.ZodMiniObject): ToolInput {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema);
  return {
    jsonSchema,
    check(input) {
      try {
        const { value, ignored } = parse(schema, input);
        // An ignored argument would make the model believe that it took effect.
        if (ignored.length > 0)
          return { kind: "invalid", message: `invalid arguments: unknown argument ${ignored.join(", ")}` };
        return { kind: "valid", input: value };
      } catch (error) {
        if (error instanceof InvalidInput) return { kind: "invalid", message: `invalid arguments: ${error.message}` };
        throw error;
      }
    },
  };
}
