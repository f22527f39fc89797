import type { SessionRole } from "./records.ts";
import { CONSOLE_HEADER, CONSOLE_PRODUCT_HEADER } from "../contract/console/session-limits.ts";
import { headerValue } from "./address.ts";
import * as routes from "./orchestrator-routes.ts";
import { type CallOptions, type ConnectionOptions, serviceOf } from "./http-call.ts";
import { HOST_LIMITS } from "./limits.ts";
import { callsOf } from "./route.ts";

/**
 * A session of the console instead of a key. For a page that the daemon serves: its browser sends the session's cookie.
 */
export interface BySession {
  readonly session: true;
}

/** The headers of a session's call. `product`: the one that it is for, by id or slug. */
export const sessionHeaders = (product?: string): Readonly<Record<string, string>> => ({
  [CONSOLE_HEADER]: "1",
  ...(product !== undefined && { [CONSOLE_PRODUCT_HEADER]: headerValue("product", product) }),
});

export type SignInOptions = CallOptions &
  ({ readonly adminKey: string; readonly role?: SessionRole | undefined } | { readonly link: string });

export type ConsoleClient = ReturnType<typeof createConsoleClient>;

/** How a person signs in to the console and out of it. `url` is the daemon's. */
export function createConsoleClient(connection: ConnectionOptions) {
  const service = serviceOf(connection, sessionHeaders(), HOST_LIMITS);
  const { call } = callsOf(service);
  return {
    url: service.url,

    /** How people sign in besides the admin key and links. */
    signInOptions: (given: CallOptions = {}) => call(routes.signInOptions, given),
    /** Opens a session by the admin key or a one-time link. The browser keeps its cookie. */
    signIn: (given: SignInOptions) => call(routes.signIn, given),
    /** The session of this browser. Throws `INVALID_SESSION` when there is none. */
    session: (given: CallOptions = {}) => call(routes.showSession, given),
    /** Ends the session. Its `provider_url` is where the browser signs out of the identity provider too. */
    signOut: (given: CallOptions = {}) => call(routes.signOut, given),
  };
}
