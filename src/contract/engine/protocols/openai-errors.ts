import type { EngineErrorCode } from "../errors.ts";
import type { ProtocolError } from "./protocol-row.ts";

/** OpenAI's names of errors, where they differ from ours. */
const OPENAI_CODES: Partial<Record<EngineErrorCode, string>> = {
  INVALID_ENGINE_KEY: "invalid_api_key",
  INVALID_TOKEN: "invalid_api_key",
  LLM_RATE_LIMITED: "rate_limit_exceeded",
  RATE_LIMITED: "rate_limit_exceeded",
  BUDGET_EXCEEDED: "insufficient_quota",
};

const openaiType = (status: number): string => {
  if (status >= 500) return "server_error";
  if (status === 429) return "rate_limit_error";
  return status === 401 ? "authentication_error" : "invalid_request_error";
};

/** The body of a refused call of OpenAI's protocols. */
export const openaiError = ({ code, message, status }: ProtocolError): object => {
  // The messages of our errors begin with the field that they are about.
  const param = /^([\w.-]{1,100}): /.exec(message)?.[1] ?? null;
  const isModel = code === "NOT_FOUND" && param === "model";
  const named = isModel ? "model_not_found" : (OPENAI_CODES[code] ?? code.toLowerCase());
  return { error: { message, type: openaiType(status), param, code: named } };
};
