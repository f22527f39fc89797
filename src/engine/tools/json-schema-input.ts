import { runInNewContext } from "node:vm";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";
import { isRecord } from "../../shared/json-values.ts";
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
  const problemOf = jsonSchemaCheck(jsonSchema);
  return {
    jsonSchema,
    check(input): CheckedInput {
      if (!isRecord(input)) return { kind: "invalid", message: "invalid arguments: expected a JSON object" };
      const problem = problemOf(input);
      if (problem === null) return { kind: "valid", input };
      switch (problem.kind) {
        case "mismatch":
          return { kind: "invalid", message: `invalid arguments: ${problem.message}` };
        case "timeout":
          return { kind: "invalid", message: `invalid arguments: their ${problem.message}` };
        case "bad_schema":
          return { kind: "invalid", message: `the tool's ${problem.message}` };
        default:
          return problem.kind satisfies never;
      }
    },
  };
}

/** What is wrong with a value, in words that follow the name of the value. */
export interface SchemaProblem {
  readonly kind: "mismatch" | "timeout" | "bad_schema";
  readonly message: string;
}

/** The same for any JSON value. Returns null when it matches. Throws for an invalid schema. */
export function jsonSchemaCheck(
  jsonSchema: Readonly<Record<string, unknown>>,
): (value: unknown) => SchemaProblem | null {
  const validate = new CfWorkerJsonSchemaValidator().getValidator({ ...jsonSchema });
  const isCostly = COSTLY.test(JSON.stringify(jsonSchema));
  return (value) => {
    try {
      const checked = isCostly ? withinTime(() => validate(value), MAX_CHECK_MS) : null;
      if (checked?.kind === "timeout") return TOO_LONG;
      const { valid, errorMessage = "" } = checked?.value ?? validate(value);
      return valid ? null : { kind: "mismatch", message: errorMessage };
    } catch (error) {
      // An unresolved reference is found only during validation.
      const reason = error instanceof Error ? error.message : String(error);
      return { kind: "bad_schema", message: `schema is invalid: ${reason}` };
    }
  };
}

const TOO_LONG: SchemaProblem = {
  kind: "timeout",
  message: `check by the tool's schema takes longer than ${MAX_CHECK_MS} ms; give shorter ones`,
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
