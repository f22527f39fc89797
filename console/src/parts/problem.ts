import { OrchdError } from "@orchd/client";

/** Any error as one with a code. */
export const asProblem = (error: unknown): OrchdError =>
  error instanceof OrchdError
    ? error
    : new OrchdError({ code: "INTERNAL_ERROR", message: error instanceof Error ? error.message : String(error) });

/** The field that an `INVALID_REQUEST` names, and what was expected. */
export function fieldProblem({ code, message }: OrchdError): { readonly field: string; readonly text: string } | null {
  const [, field, text] = /^([\w.]+): (.+)$/s.exec(message) ?? [];
  return code === "INVALID_REQUEST" && field !== undefined && text !== undefined ? { field, text } : null;
}
