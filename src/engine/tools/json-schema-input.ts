import { runInNewContext } from "node:vm";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";
import type { CheckedInput, ToolInput } from "./tool-input.ts";

/** An ordinary check takes less than a millisecond. */
const MAX_CHECK_MS = 100;
/** Keywords with which the time of a check may grow exponentially, or with the square of the input. */
const COSTLY = /"(?:pattern|patternProperties|format|uniqueItems|\$ref|\$dynamicRef|\$recursiveRef)":/;

/**
 * Input validated by an untrusted JSON Schema, which is interpreted, not compiled, for a limited time. Throws for an
 * invalid schema.
 */
export function jsonSchemaInput(jsonSchema: Readonly<Record<string, unknown>>): ToolInput {
  const validate = new CfWorkerJsonSchemaValidator().getValidator<Readonly<Record<string, unknown>>>({ ...jsonSchema });
  const isCostly = COSTLY.test(JSON.stringify(jsonSchema));
  return {
    jsonSchema,
    check(input): CheckedInput {
      if (typeof input !== "object" || input === null || Array.isArray(input))
        return { kind: "invalid", message: "invalid arguments: expected a JSON object" };
      try {
        const given = input as Readonly<Record<string, unknown>>;
        const checked = isCostly ? withinTime(() => validate(given), MAX_CHECK_MS) : null;
        if (checked?.kind === "timeout") return TOO_LONG;
        const { valid, data, errorMessage } = checked?.value ?? validate(given);
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

const TOO_LONG: CheckedInput = {
  kind: "invalid",
  message: `invalid arguments: their check by the tool's schema takes longer than ${MAX_CHECK_MS} ms; give shorter ones`,
};

/**
 * Runs synchronous work, and ends it after `ms`: also within a regular expression, whose backtracking may be
 * exponential. The event loop waits no longer.
 */
function withinTime<T>(
  work: () => T,
  ms: number,
): { readonly kind: "done"; readonly value: T } | { readonly kind: "timeout" } {
  const done: T[] = [];
  try {
    runInNewContext("work()", { work: () => done.push(work()) }, { timeout: ms });
  } catch (error) {
    if ((error as { readonly code?: unknown } | null)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT")
      return { kind: "timeout" };
    throw error;
  }
  return { kind: "done", value: done[0] as T };
}
