import { OrchdError } from "./orchd-error.ts";

const invalid = (message: string): OrchdError => new OrchdError({ code: "INVALID_ARGUMENT", message });

/** A service's address without a slash at its end; a path in it is kept. */
export function baseAddress(url: string): string {
  if (!URL.canParse(url)) throw invalid(`url: expected http://… or https://…, got ${JSON.stringify(url)}`);
  const { protocol, origin, pathname, username, password, search, hash } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") throw invalid("url: expected http://… or https://…");
  if (username + password + search + hash !== "") throw invalid("url: expected no user, query or fragment in it");
  return origin + pathname.replace(/\/+$/, "");
}

/** A value for a header; `fetch` would refuse others in words that repeat the secret. */
export function headerValue(name: string, value: string): string {
  if (!/^[\x21-\x7e]{1,4096}$/.test(value)) throw invalid(`${name}: expected visible ASCII characters, without blanks`);
  return value;
}

/** A user's id as one segment of a path. */
export function pathSegment(text: string): string {
  // Who writes JavaScript has no compiler that says so.
  if (typeof text !== "string") throw invalid(`userId: expected a string, as in get("alice"), got ${kindOf(text)}`);
  if (text === "" || !text.isWellFormed()) throw invalid("userId: expected an id in UTF-8, and not an empty one");
  // Browsers and Node.js take even an encoded `.` or `..` for a step to another folder.
  if (/^\.{1,2}$/.test(text)) throw invalid(`userId: fetch cannot name a user ${JSON.stringify(text)}`);
  return encodeURIComponent(text);
}

/** For calls that take more than the id. */
export function checkedUserId(wish: { readonly userId: string }): string {
  if (typeof wish !== "object" || wish === null) {
    throw invalid(`userId: expected an object with userId, as in admit({ userId: "alice" }), got ${kindOf(wish)}`);
  }
  if (typeof wish.userId !== "string") throw invalid(`userId: expected a string, got ${kindOf(wish.userId)}`);
  return wish.userId;
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** `?a=b`, without what is undefined; empty when nothing is left. */
export function queryOf(parameters: Readonly<Record<string, string | number | boolean | null | undefined>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === null ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`;
}

/** A name for one thing to be done, so that it is done once however often it is asked for. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
