/** With the value `1`, the session cookie authenticates the call. Pages of other sites cannot send this header. */
export const CONSOLE_HEADER = "X-Orchd-Console";
/** The product that a session's call is for, by id or slug. */
export const CONSOLE_PRODUCT_HEADER = "X-Orchd-Product";

/** `read_only`: only calls that change nothing. */
export const SESSION_ROLES = ["admin", "read_only"] as const;
export type SessionRole = (typeof SESSION_ROLES)[number];

/** How a session was opened. */
export const SESSION_OPENERS = ["admin_key", "link"] as const;
export type SessionOpener = (typeof SESSION_OPENERS)[number];

export const SESSION_LIMITS = {
  /** The lifetime of a session in seconds. */
  lifetimeS: 12 * 3600,
  /** The idle timeout of a session in seconds. */
  idleS: 3600,
  /** The lifetime of a one-time link in seconds. */
  linkS: 60,
  /** Failed sign-ins of one address per minute. Further sign-ins are refused for the rest of it. */
  failedSignIns: 10,
} as const;

export const SESSION_TOKEN_PREFIX = "orchs_";
export const LINK_TOKEN_PREFIX = "orchl_";
