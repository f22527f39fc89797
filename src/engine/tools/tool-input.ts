import * as z from "zod/mini";
import { InvalidInput, parse } from "../../shared/parse.ts";

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
        const { value, ignored } = parse(schema, input);
        // A model takes a call for done as it meant it: what nobody reads is told instead.
        if (ignored.length > 0)
          return { kind: "invalid", words: `invalid arguments: there is no argument ${ignored.join(", ")}` };
        return { kind: "valid", input: value };
      } catch (error) {
        if (error instanceof InvalidInput) return { kind: "invalid", words: `invalid arguments: ${error.message}` };
        throw error;
      }
    },
  };
}
