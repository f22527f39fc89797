import type { SignInProblem } from "../../contract/console/sign-in-problems.ts";

/** A sign-in ends without a session. The message is for the log, and has no secret. */
export class SignInFailure extends Error {
  override readonly name = "SignInFailure";
  readonly problem: SignInProblem;

  constructor(problem: SignInProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}
