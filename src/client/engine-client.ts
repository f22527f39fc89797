import { ENGINE_KEY_HEADER } from "../contract/engine/headers.ts";
import { headerValue } from "./address.ts";
import { streamCalls } from "./engine-execute.ts";
import { fileCalls } from "./engine-files.ts";
import { inboxCalls } from "./engine-inbox.ts";
import { memoryCalls } from "./engine-memory.ts";
import { taskCalls } from "./engine-tasks.ts";
import { ownerCalls } from "./engine-owner.ts";
import { turnCalls } from "./engine-turns.ts";
import { type ConnectionOptions, type Service, serviceOf } from "./http-call.ts";
import { type BySession, sessionHeaders } from "./console-client.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { callsOf } from "./route.ts";

/** `url` is the `url` of the engine's record; with a session, the daemon's with `/e/<engine id>`. */
export type EngineClientOptions = Omit<ConnectionOptions, "exactPaths"> &
  (
    | {
        /** The engine's key, as `provision` returned it. */
        readonly key: string;
      }
    | BySession
  );

export type { CallOptions } from "./http-call.ts";

export type EngineClient = ReturnType<typeof engineCalls>;

/** Calls of one engine, retried as their errors allow. Errors are {@link OrchdError}s. */
export function createEngineClient(options: EngineClientOptions) {
  const headers = "session" in options ? sessionHeaders() : { [ENGINE_KEY_HEADER]: headerValue("key", options.key) };
  return engineCalls(serviceOf(options, headers, DEFAULT_LIMITS));
}

/** The calls of an engine, by whatever authenticates the service's. */
export function engineCalls(service: Service) {
  const calls = callsOf(service);
  return {
    url: service.url,
    ...streamCalls(service, calls),
    ...inboxCalls(calls),
    ...turnCalls(calls),
    ...taskCalls(service, calls),
    ...memoryCalls(service, calls),
    files: fileCalls(service, calls, (link) => linkAddress(service.url, link)),
    ...ownerCalls(calls),
  };
}

/** At the daemon's address for an engine behind its gateway, else at the engine's own. */
function linkAddress(url: string, link: string): string {
  const daemon = url.replace(/\/(?:e\/[^/]+|me)$/, "");
  return daemon === url ? url + link.replace(/^\/e\/[^/]+/, "") : daemon + link;
}
