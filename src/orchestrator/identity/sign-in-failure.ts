import type { SignInProblem } from "../../contract/console/sign-in-problems.ts";

/** Codes of the library for an error that the provider itself sent. */
const SENT_BY_PROVIDER: ReadonlySet<string> = new Set([
  "OAUTH_AUTHORIZATION_RESPONSE_ERROR",
  "OAUTH_RESPONSE_BODY_ERROR",
  "OAUTH_WWW_AUTHENTICATE_CHALLENGE",
]);

/** A sign-in ends without a session, or without tokens. The message is for the log, and has no secret. */
export class SignInFailure extends Error {
  override readonly name = "SignInFailure";
  readonly problem: SignInProblem;
  /** The error code that the provider sent, such as `invalid_grant`. Empty without one. */
  readonly refusal: string;

  constructor(problem: SignInProblem, message: string, refusal = "") {
    super(message);
    this.problem = problem;
    this.refusal = refusal;
  }
}

/** Errors of the library have answers of the provider as their cause, which are not logged. */
export function asFailure(error: unknown): SignInFailure {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof SignInFailure) return one;
  if (!(error instanceof Error)) return new SignInFailure("untrusted", "unknown");
  const { code = "", error: sent = "" } = error as { readonly code?: string; readonly error?: string };
  // The code of a refusal comes from the address, in which anybody may write.
  const refusal = /^[\w.-]{1,64}$/.test(sent) ? sent : "";
  const message = [error.message, code, refusal].filter(Boolean).join(", ");
  return new SignInFailure(SENT_BY_PROVIDER.has(code) ? "refused" : "untrusted", message, refusal);
}
