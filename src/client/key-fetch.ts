import { ENGINE_KEY_HEADER } from "../contract/engine/headers.ts";
import { headerValue } from "./address.ts";
import { isStream } from "./http-call.ts";
import { MAX_TIMER_MS, withTimeout } from "./timeouts.ts";

type Fetch = typeof globalThis.fetch;

const UNAUTHORIZED = 401;
const NEVER = new AbortController().signal;

/**
 * A `fetch` that sends the engine's key. A call whose key is refused gets another one by `renew`, and is sent once more. A
 * body that is a stream can be sent only once: the next call has the new key.
 */
export function fetchWithKey(first: string, fetch: Fetch, renew: (refused: string) => Promise<string>): Fetch {
  let current = first;
  const send = async (key: string, [input, init]: Parameters<Fetch>) =>
    fetch(input, {
      ...init,
      headers: { ...(init?.headers as Record<string, string>), [ENGINE_KEY_HEADER]: headerValue("key", key) },
    });
  return async (input, init) => {
    const sent = current;
    const response = await send(sent, [input, init]);
    if (response.status !== UNAUTHORIZED) return response;
    const renewal = current === sent ? renew(sent) : Promise.resolve(current);
    const next = await withTimeout(renewal, { ms: MAX_TIMER_MS, signal: init?.signal ?? NEVER, onTimeout: () => sent });
    current = next;
    if (isStream(init?.body ?? "")) return response;
    await response.body?.cancel();
    return send(next, [input, init]);
  };
}
