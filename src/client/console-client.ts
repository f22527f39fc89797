import {
  CONSOLE_HEADER,
  CONSOLE_PRODUCT_HEADER,
  type SessionRecord,
  type SessionRole,
} from "../contract/console-records.ts";
import { headerValue } from "./address.ts";
import { type CallOptions, type ConnectionOptions, callJson, serviceOf } from "./http-call.ts";
import { HOST_LIMITS } from "./limits.ts";

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
  const path = "/console/session";
  return {
    url: service.url,

    /** Opens a session by the admin key or a one-time link. The browser keeps its cookie. */
    signIn: ({ signal, ...by }: SignInOptions) => {
      const body = "link" in by ? { link: by.link } : { admin_key: by.adminKey, role: by.role };
      return callJson<SessionRecord>(service, { method: "POST", path, body, signal }, { repeatable: false });
    },

    /** The session of this browser. Throws `INVALID_SESSION` when there is none. */
    session: ({ signal }: CallOptions = {}) => callJson<SessionRecord>(service, { method: "GET", path, signal }),

    signOut: ({ signal }: CallOptions = {}) =>
      callJson<{ readonly ended: true }>(service, { method: "DELETE", path, signal }),
  };
}
