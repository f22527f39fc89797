const MAX_CAUSES = 5;
const MAX_CHARACTERS = 500;

/** The messages of an error and its causes: `fetch failed` alone does not name the reason. */
export function formatError(error: unknown): string {
  const messages: string[] = [];
  for (let at: unknown = error; at !== undefined && at !== null && messages.length < MAX_CAUSES; at = causeOf(at)) {
    const { message, code } = at as { readonly message?: unknown; readonly code?: unknown };
    const text = typeof message === "string" && message !== "" ? message : String(code ?? at);
    if (!messages.some((before) => before.includes(text))) messages.push(text);
  }
  return messages.join(": ").slice(0, MAX_CHARACTERS);
}

/** Some SDK errors have their cause in `data`. */
function causeOf(error: unknown): unknown {
  const { cause, data, errors } = error as {
    readonly cause?: unknown;
    readonly data?: { readonly cause?: unknown };
    readonly errors?: readonly unknown[];
  };
  return cause ?? data?.cause ?? errors?.[0];
}
