import { SESSION_ROLES, type SessionRole } from "../../contract/console/session-limits.ts";

type Claims = Readonly<Record<string, unknown>>;

/**
 * The groups in a claim: a text is one, a list has many. Null for any other form. An email address that the provider has
 * not verified is no group: anybody could claim it.
 */
export function groupsOf(claims: Claims, name: string): readonly string[] | null {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (value === undefined || (name === "email" && claims["email_verified"] !== true)) return [];
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : null;
}

/** The highest role of these groups. Null when none of them has one. */
export function roleOfGroups(
  given: readonly string[],
  groups: Readonly<Record<SessionRole, readonly string[]>>,
): SessionRole | null {
  const own = new Set(given);
  return SESSION_ROLES.findLast((role) => groups[role].some((group) => own.has(group))) ?? null;
}

const MAX_NAME = 256;

/** A text that a provider calls a person by, as it may be stored and shown. Null without. */
export function nameOf(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const text = value.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]+/gu, " ").trim();
  return text === "" ? null : text.slice(0, MAX_NAME).toWellFormed();
}
