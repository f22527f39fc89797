import * as z from "zod/mini";
import { InvalidInput, parse } from "../../kit/parse.ts";

export type CheckedInput =
  | { readonly kind: "valid"; readonly input: Readonly<Record<string, unknown>> }
  /** Words for the model on what is wrong with it. */
  | { readonly kind: "invalid"; readonly words: string };

/** What a tool takes: as a model is shown it, and as it is checked before anything else happens. */
export interface ToolInput {
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  check(input: unknown): CheckedInput;
}

/** From a schema of ours, which is the source of both. */
export function toolInput(schema: z.ZodMiniObject): ToolInput {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema);
  return {
    jsonSchema,
    check(input) {
      try {
        return { kind: "valid", input: parse(schema, input).value };
      } catch (error) {
        if (error instanceof InvalidInput) return { kind: "invalid", words: `invalid arguments: ${error.message}` };
        throw error;
      }
    },
  };
}
