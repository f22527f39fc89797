import { OrchdError } from "./orchd-error.ts";

export const invalidArgument = (message: string): OrchdError => new OrchdError({ code: "INVALID_ARGUMENT", message });

/** A service's base URL without a trailing slash. A path prefix is kept. */
export function baseAddress(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw invalidArgument(`url: expected http://… or https://…, got ${JSON.stringify(url)}`);
  const { origin, pathname, username, password, search, hash } = new URL(url);
  if (username + password + search + hash !== "") throw invalidArgument("url: expected no user, query or fragment");
  return origin + pathname.replace(/\/+$/, "");
}

/** A valid header value. `fetch` would refuse an invalid one with an error that contains the secret. */
export function headerValue(name: string, value: string): string {
  // An absent key of a JavaScript caller would be sent as the text "undefined".
  if (typeof value !== "string" || !/^[\x21-\x7e]{1,4096}$/.test(value))
    throw invalidArgument(`${name}: expected visible ASCII characters`);
  return value;
}

/** An ID as one segment of a path, percent-encoded so that servers and proxies do not split or decode it. */
export function pathSegment(field: string, text: unknown): string {
  // JavaScript callers have no compiler that checks the type.
  if (typeof text !== "string") throw invalidArgument(`${field}: expected a string, got ${typeName(text)}`);
  if (text === "" || !text.isWellFormed()) throw invalidArgument(`${field}: expected a non-empty ID in valid Unicode`);
  const encoded = encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return /^\.+$/.test(encoded) ? encoded.replaceAll(".", "%2E") : encoded;
}

/** Throws for a path that `fetch` would change: it resolves `.` and `..` segments even when they are percent-encoded. */
export function assertUnchangedByFetch(path: string): void {
  if (/\/(?:%2E){1,2}(?:[/?]|$)/.test(path))
    throw invalidArgument(`fetch cannot send the path ${path}: it resolves "." and ".."`);
}

/** The user ID of calls that take an object. */
export function checkedUserId(options: { readonly userId: string }, method: string): string {
  return checkedField(options, "userId", `${method}({ userId: "alice" })`);
}

/** A field of calls that take an object. JavaScript callers have no compiler that checks it. */
export function checkedField<Name extends string>(
  options: { readonly [name in Name]: string },
  name: Name,
  example: string,
): string {
  if (typeof options !== "object" || options === null)
    throw invalidArgument(`${name}: expected an object with ${name}, as in ${example}, got ${typeName(options)}`);
  if (typeof options[name] !== "string")
    throw invalidArgument(`${name}: expected a string, as in ${example}, got ${typeName(options[name])}`);
  return options[name];
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

type QueryValue = string | number | boolean | null | undefined;

/**
 * `?a=b` without the parameters that are undefined or null; an empty string if none is left. An object gives a parameter
 * for each of its keys, `?a.key=b`.
 */
export function queryOf(parameters: Readonly<Record<string, QueryValue | Readonly<Record<string, string>>>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]): [string, string][] => {
    if (value === undefined || value === null) return [];
    if (typeof value !== "object") return [[name, String(value)]];
    return Object.entries(value).map(([key, one]) => [`${name}.${key}`, one]);
  });
  return given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`;
}

/** A new `Idempotency-Key`: the service runs a call once, however often it is sent with this key. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** `drain_s` is `drainS`, and `Idempotency-Key` is `idempotencyKey`. */
export const camelCase = (name: string): string =>
  name.toLowerCase().replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
