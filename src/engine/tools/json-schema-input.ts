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
 * invalid schema. The limit costs 2 ms a check; `limited`: also where no keyword is known to be costly, since a large
 * schema may be.
 */
export function jsonSchemaInput(
  jsonSchema: Readonly<Record<string, unknown>>,
  options: { readonly limited?: boolean } = {},
): ToolInput {
  const problemOf = jsonSchemaCheck(jsonSchema, options);
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
  { limited = COSTLY.test(JSON.stringify(jsonSchema)) }: { readonly limited?: boolean } = {},
): (value: unknown) => SchemaProblem | null {
  // The package of the MCP client has it in any case: 22 KB, and right in 1165 of 1193 cases of the JSON Schema test suite
  // for 2020-12. Ajv: 134 KB more, 1157 cases, compiles code. Zod's fromJSONSchema: 144 KB, 668 cases.
  const validate = new CfWorkerJsonSchemaValidator().getValidator({ ...jsonSchema });
  return (value) => {
    try {
      const checked = limited ? withinTime(() => validate(value), MAX_CHECK_MS) : null;
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

type Timed<T> = { readonly kind: "done"; readonly value: T } | { readonly kind: "timeout" };

/**
 * Runs synchronous work, and ends it after `ms` of CPU time: also within a regular expression, whose backtracking may be
 * exponential. Node.js measures the time that passes, of which a busy host may give this thread little: then the work
 * begins again.
 */
function withinTime<T>(work: () => T, ms: number): Timed<T> {
  let usedMs = 0;
  for (;;) {
    const before = process.threadCpuUsage();
    const timed = whileTime(work, ms);
    if (timed.kind === "done") return timed;
    const { user, system } = process.threadCpuUsage(before);
    usedMs += (user + system) / 1000;
    // Half of it, for the clocks differ.
    if (usedMs > ms / 2) return timed;
  }
}

function whileTime<T>(work: () => T, ms: number): Timed<T> {
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
