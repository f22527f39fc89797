/** With the value `1`, the session cookie authenticates the call. Pages of other sites cannot send this header. */
export const CONSOLE_HEADER = "X-Orchd-Console";
/** The product that a session's call is for, by id or slug. */
export const CONSOLE_PRODUCT_HEADER = "X-Orchd-Product";

/** What a person may do, from least to most. Each role includes those before it. */
export const SESSION_ROLES = ["viewer", "operator", "admin"] as const;
export type SessionRole = (typeof SESSION_ROLES)[number];

/** Whether a role may do what another one is needed for. */
export const includesRole = (role: SessionRole, needed: SessionRole): boolean =>
  SESSION_ROLES.indexOf(role) >= SESSION_ROLES.indexOf(needed);

/** The role among these that includes the others. Null without any. */
export const highestRole = (roles: readonly SessionRole[]): SessionRole | null =>
  SESSION_ROLES.findLast((role) => roles.includes(role)) ?? null;

/** How a session was opened. */
export const SESSION_OPENERS = ["admin_key", "link", "oidc"] as const;
export type SessionOpener = (typeof SESSION_OPENERS)[number];

export const SESSION_LIMITS = {
  /** The lifetime of a session in seconds. */
  lifetimeS: 12 * 3600,
  /** The idle timeout of a session in seconds. */
  idleS: 3600,
  /** The lifetime of a one-time link in seconds. */
  linkS: 60,
  /** How long a person may take to sign in at the identity provider, in seconds. */
  signInS: 600,
  /** Failed sign-ins of one address per minute. Further sign-ins are refused for the rest of it. */
  failedSignIns: 10,
} as const;

export const SESSION_TOKEN_PREFIX = "orchs_";
export const LINK_TOKEN_PREFIX = "orchl_";
