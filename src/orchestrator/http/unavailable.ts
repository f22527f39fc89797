import { ApiError } from "../api-error.ts";

const RETRY_AFTER_S = 5;

/** Errors of exhausted resources. They end when other work finishes or an operator frees the resource. */
const EXHAUSTED: Readonly<Record<string, string>> = {
  ENOSPC: "the host has no disk space left",
  EDQUOT: "the host's disk quota is used up",
  EMFILE: "the daemon has too many open files",
  ENFILE: "the host has too many open files",
  ENOMEM: "the host has no memory left",
  EAGAIN: "the host has no room for another process",
};

/** The refusal for an exhausted resource of the host, anywhere in the chain of causes; null for other errors. */
export function hostExhausted(error: unknown): ApiError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
    const reason = EXHAUSTED[code];
    if (reason !== undefined) return unavailable(reason, error);
  }
  return null;
}

export const unavailable = (reason: string, cause: unknown): ApiError =>
  new ApiError("SERVICE_UNAVAILABLE", reason, { retryAfterS: RETRY_AFTER_S, cause });
