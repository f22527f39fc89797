import { AsyncLocalStorage } from "node:async_hooks";
import type { IdentitySource } from "../tools/web/identity-source.ts";
import type { CallResult } from "./connection.ts";

/** A call of a tool: who makes it, and the tokens of its requests. */
interface Caller {
  readonly agent: string;
  /** Of this call alone. */
  readonly headers: Readonly<Record<string, string>>;
  readonly tokens: string[];
}

const callers = new AsyncLocalStorage<Caller>();
const REDACTED = "[secret]";

type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

/** A `fetch` whose every request has a token of its own. The client of MCP follows no redirect to another origin. */
export const identifiedFetch =
  (
    send: Fetch,
    { audience, source, signal }: { audience: string; source: IdentitySource; signal: AbortSignal },
  ): Fetch =>
  async (input, init) => {
    const caller = callers.getStore();
    const token = await source({ audience, agent: caller?.agent ?? null, signal: init?.signal ?? signal });
    caller?.tokens.push(token);
    const headers = new Headers(init?.headers);
    headers.set("authorization", `Bearer ${token}`);
    return send(input, { ...init, headers });
  };

/** A `fetch` whose requests have the headers of the call that makes them; those of no call, such as a listing, have none. */
export const calledFetch =
  (send: Fetch): Fetch =>
  async (input, init) => {
    const headers = new Headers(init?.headers);
    for (const [name, value] of Object.entries(callers.getStore()?.headers ?? {})) headers.set(name, value);
    return send(input, { ...init, headers });
  };

/** Makes a call as an agent. A server that echoes a token does not show it to the model. */
export async function callAs(
  by: Pick<Caller, "agent" | "headers">,
  call: () => Promise<CallResult>,
): Promise<CallResult> {
  const caller: Caller = { ...by, tokens: [] };
  const result = await callers.run(caller, call);
  if (caller.tokens.length === 0) return result;
  const text = JSON.stringify(result);
  const shown = caller.tokens.reduce((left, token) => left.replaceAll(token, REDACTED), text);
  return shown === text ? result : (JSON.parse(shown) as CallResult);
}
