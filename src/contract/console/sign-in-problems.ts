/** Why a sign-in with the identity provider ended without a session. The console shows the text. */
export const SIGN_IN_PROBLEMS = {
  unreachable: "The identity provider does not answer. Try again later, or sign in without it.",
  refused: "The identity provider refused the sign-in.",
  expired: "The sign-in took longer than 10 minutes, was already used, or began in another browser. Begin again.",
  untrusted: "The answer of the identity provider cannot be trusted. The daemon's log says why.",
  no_role: "Your account is in no group that may use this console. Ask whoever manages it.",
  too_many: "Too many sign-ins failed. Try again in a minute.",
  unavailable: "orchd cannot open a session now. Try again in a moment.",
} as const;
export type SignInProblem = keyof typeof SIGN_IN_PROBLEMS;

export const isSignInProblem = (text: string): text is SignInProblem => Object.hasOwn(SIGN_IN_PROBLEMS, text);
