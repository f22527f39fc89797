import type { IsoTime } from "./iso-time.ts";

/** Says that a call is authenticated by the session of its cookie. Pages of other sites cannot send it. Its value is `1`. */
export const CONSOLE_HEADER = "X-Orchd-Console";
/** The product that a session's call is for, by id or slug. */
export const CONSOLE_PRODUCT_HEADER = "X-Orchd-Product";

/** `read_only`: calls that change nothing, which are those by GET. */
export const SESSION_ROLES = ["admin", "read_only"] as const;
export type SessionRole = (typeof SESSION_ROLES)[number];

/** What a session was opened with. */
export const SESSION_OPENERS = ["admin_key", "link"] as const;
export type SessionOpener = (typeof SESSION_OPENERS)[number];

export const SESSION_LIMITS = {
  /** From its start to its end. */
  lifetimeS: 12 * 3600,
  /** From its last call to its end. */
  idleS: 3600,
  /** How long a one-time link can be used. */
  linkS: 60,
  /** Of one address in a minute; then sign-ins are refused for the rest of it. */
  failedSignIns: 10,
} as const;

export const SESSION_TOKEN_PREFIX = "orchs_";
export const LINK_TOKEN_PREFIX = "orchl_";

/** A person who is signed in to the console. */
export interface SessionRecord {
  readonly id: string;
  readonly role: SessionRole;
  readonly opened_by: SessionOpener;
  readonly created_at: IsoTime;
  /** To the minute. */
  readonly last_used_at: IsoTime;
  readonly expires_at: IsoTime;
  /** When it ends without another call. */
  readonly idle_expires_at: IsoTime;
  /** Whether it is the session of this call. */
  readonly is_current: boolean;
}

/** A link that opens one session. */
export interface SessionLink {
  readonly link: string;
  /** Of the page that uses it; a path, unless the daemon has a public URL. */
  readonly url: string;
  readonly role: SessionRole;
  readonly expires_at: IsoTime;
}
