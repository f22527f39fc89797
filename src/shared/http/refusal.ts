import { InvalidInput } from "../parse.ts";

/** A refusal that both interfaces have under the same code; each gives it its own form. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: "INVALID_REQUEST" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "PAYLOAD_TOO_LARGE" | "SERVICE_UNAVAILABLE";
  /** Seconds, for `Retry-After`. */
  readonly retryAfterS: number | null;

  constructor(code: Refusal["code"], message: string, retryAfterS: number | null = null, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryAfterS = retryAfterS;
  }
}

/** The refusal that an error of the shared helpers or of Express stands for; null for any other error. */
export function refusalOf(error: unknown): Refusal | null {
  if (error instanceof Refusal) return error;
  if (error instanceof InvalidInput) return new Refusal("INVALID_REQUEST", error.message, null, error);
  if (error instanceof URIError)
    return new Refusal("INVALID_REQUEST", "path: expected percent-encoded UTF-8", null, error);
  return null;
}
