import { headerValue } from "./address.ts";
import { isStream } from "./http-call.ts";
import { OrchdError } from "./orchd-error.ts";
import { MAX_TIMER_MS, withTimeout } from "./timeouts.ts";

/** Where the token of an end user comes from. */
export type TokenSource =
  | { readonly token: string }
  /** Asks your backend for a token: before the first call, and when one is refused. */
  | { readonly getToken: () => string | Promise<string> };

type Fetch = typeof globalThis.fetch;

const UNAUTHORIZED = 401;
const TOKEN_MS = 30_000;
const NEVER = new AbortController().signal;

/** A `fetch` that sends the user's token. A refused token is renewed once, by all calls together. */
export function fetchWithToken(source: TokenSource, fetch: Fetch): Fetch {
  let current: Promise<string> | null = null;
  const forget = (refused: Promise<string>) => {
    if (current === refused) current = null;
  };
  const token = () => {
    if (current !== null) return current;
    const asked = ask(source);
    current = asked;
    // The next call asks again.
    asked.catch(() => forget(asked));
    return asked;
  };
  const send = async (asked: Promise<string>, [input, init]: Parameters<Fetch>) => {
    // A call has a deadline of its own.
    const token = await withTimeout(asked, { ms: MAX_TIMER_MS, signal: init?.signal ?? NEVER, onTimeout: late });
    return fetch(input, {
      ...init,
      headers: { ...(init?.headers as Record<string, string>), authorization: `Bearer ${token}` },
    });
  };
  return async (input, init) => {
    const first = token();
    const response = await send(first, [input, init]);
    const body = init?.body ?? "";
    if (response.status !== UNAUTHORIZED || !("getToken" in source) || isStream(body)) return response;
    await response.body?.cancel();
    forget(first);
    return send(token(), [input, init]);
  };
}

async function ask(source: TokenSource): Promise<string> {
  if ("token" in source) return headerValue("token", source.token);
  try {
    return headerValue(
      "getToken",
      await withTimeout(callPage(source), { ms: TOKEN_MS, signal: NEVER, onTimeout: late }),
    );
  } catch (error) {
    throw new OrchdError({ code: "NO_TOKEN", message: `getToken: ${String(error)}`, cause: error });
  }
}

/** A function that throws is one whose promise is rejected. */
const callPage = async ({ getToken }: Extract<TokenSource, { getToken: unknown }>): Promise<string> => getToken();

function late(): never {
  throw new Error(`no token within ${TOKEN_MS / 1000} s`);
}
