/** Stable for scripts. A test compares the documented table with it. */
export const EXIT_CODES = {
  ok: { code: 0, meaning: "done" },
  unexpected: { code: 1, meaning: "unexpected error, or doctor found a problem" },
  usage: { code: 2, meaning: "wrong usage, or the daemon refused a value (400, 405, 413, 422)" },
  denied: { code: 3, meaning: "key missing or wrong, or denied by policy (401, 403)" },
  notFound: { code: 4, meaning: "no such product, engine or route (404)" },
  conflict: { code: 5, meaning: "not possible in this state (409, 412)" },
  limited: { code: 6, meaning: "quota or rate limit (429)" },
  unavailable: { code: 7, meaning: "the daemon, an engine or its model failed, or cannot be reached (5xx)" },
  timeout: { code: 8, meaning: "deadline exceeded (504, or a deadline of orchctl)" },
  waiting: { code: 9, meaning: "the turn waits for an answer (orchctl questions lists it)" },
  interrupted: { code: 130, meaning: "interrupted" },
} as const satisfies Record<string, { code: number; meaning: string }>;
export type ExitName = keyof typeof EXIT_CODES;

/** A failure with a message for the terminal and an exit code. */
export class CliFailure extends Error {
  override readonly name = "CliFailure";
  readonly exit: ExitName;
  /** The error code of the daemon, the engine or the client, if any. */
  readonly code: string | null;
  /** The advice. Default: by the error code. */
  readonly advice: string | undefined;

  constructor(exit: ExitName, message: string, code: string | null = null, advice?: string) {
    super(message);
    this.exit = exit;
    this.code = code;
    this.advice = advice;
  }
}

export function exitOfStatus(status: number): ExitName {
  if (status === 401 || status === 403) return "denied";
  if (status === 404) return "notFound";
  if (status === 409 || status === 412) return "conflict";
  if (status === 429) return "limited";
  if (status === 504) return "timeout";
  return status >= 500 ? "unavailable" : "usage";
}

/** The result of a call, or how it failed for a person to see. */
export async function attempt<T>(call: () => Promise<T>): Promise<T | CliFailure> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof CliFailure) return error;
    throw error;
  }
}
