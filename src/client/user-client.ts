import { baseAddress } from "./address.ts";
import { streamCalls } from "./engine-execute.ts";
import { fileCalls } from "./engine-files.ts";
import { inboxCalls } from "./engine-inbox.ts";
import { memoryCalls } from "./engine-memory.ts";
import { taskCalls } from "./engine-tasks.ts";
import { turnCalls } from "./engine-turns.ts";
import { type ConnectionOptions, serviceOf } from "./http-call.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { callsOf } from "./route.ts";
import { type TokenSource, fetchWithToken } from "./token-fetch.ts";

/** `url` is the daemon's, as browsers reach it. */
export type UserClientOptions = Omit<ConnectionOptions, "exactPaths"> & TokenSource;

export type UserClient = ReturnType<typeof createUserClient>;

/**
 * Calls of the engine of one end user, by the user's token instead of the engine's key. For browsers and apps: no id of an
 * engine is needed. What a token may not do is `INSUFFICIENT_SCOPE`. Errors are {@link OrchdError}s.
 */
export function createUserClient({ url, fetch, limits, ...source }: UserClientOptions) {
  const send: typeof globalThis.fetch = fetch ?? ((input, init) => globalThis.fetch(input, init));
  const daemon = baseAddress(url);
  const connection = { url: `${daemon}/me`, limits, fetch: fetchWithToken(source, send) };
  const service = serviceOf(connection, {}, DEFAULT_LIMITS);
  const calls = callsOf(service);

  return {
    url: service.url,
    ...streamCalls(service, calls),
    ...inboxCalls(calls),
    ...turnCalls(calls),
    ...taskCalls(service, calls),
    ...memoryCalls(service, calls),
    files: fileCalls(service, calls, (link) => daemon + link),
  };
}
