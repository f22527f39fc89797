import * as z from "zod/mini";
import en from "zod/v4/locales/en.js";
import { boundsInWords, schemaAt } from "./bounds-in-words.ts";
import { isFlatterThan } from "./json-values.ts";

// zod/mini has no messages of its own; without a locale every one would be "Invalid input".
z.config(en());

/** Input from outside that does not fit. `field` is a dotted path, `expected` says what would have been accepted. */
export class InvalidInput extends Error {
  readonly field: string;
  constructor(field: string, problem: string) {
    super(`${field}: ${problem}`);
    this.name = "InvalidInput";
    this.field = field;
  }
}

/**
 * Reads unknown input by a schema. The first problem is thrown as {@link InvalidInput}, named by its field.
 * Fields the schema does not know are dropped, and the first of them named in `ignored`, unless the schema is strict.
 */
export function parse<S extends z.ZodMiniObject>(
  schema: S,
  input: unknown,
): { readonly value: z.output<S>; readonly ignored: readonly string[] } {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    throw new InvalidInput("body", "expected a JSON object");
  }
  const result = z.safeParse(schema, input);
  if (!result.success) throw invalidInput(schema, result.error.issues, input);
  return { value: result.data, ignored: unknownFields(schema.def.shape, input) };
}

const MAX_NAMED = 20;
const MAX_NAME_LENGTH = 100;

/** The first of the fields that the schema does not know: enough to find a mistake by. */
function unknownFields(known: object, input: object): readonly string[] {
  const names: string[] = [];
  for (const name in input) {
    if (Object.hasOwn(known, name) || !Object.hasOwn(input, name)) continue;
    // They go into a header, percent-encoded, which half a surrogate pair cannot be.
    if (names.push(name.slice(0, MAX_NAME_LENGTH).toWellFormed()) === MAX_NAMED) break;
  }
  return names;
}

const MAX_HEADER_LENGTH = 1000;

/** The value of `X-Ignored-Fields`: as many whole names as fit. */
export function ignoredFieldsHeader(names: readonly string[]): string {
  let header = "";
  for (const name of names) {
    const next = `${header}${header && ", "}${encodeURIComponent(name)}`;
    if (next.length > MAX_HEADER_LENGTH) break;
    header = next;
  }
  return header;
}

/** The same for a body, which may be left out (`undefined`) where nothing in it is required. */
export function parseBody<S extends z.ZodMiniObject>(schema: S, body: unknown): ReturnType<typeof parse<S>> {
  if (body !== undefined) return parse(schema, body);
  try {
    return parse(schema, {});
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput("body", `empty, expected a JSON object; ${error.message}`);
  }
}

function invalidInput(schema: z.core.$ZodType, [issue]: readonly z.core.$ZodIssue[], input: object): InvalidInput {
  if (issue === undefined) return new InvalidInput("body", "invalid");
  const path = issue.path.map(String).join(".") || "body";
  if (issue.code === "unrecognized_keys") {
    return new InvalidInput([...issue.path.map(String), issue.keys[0] ?? ""].join("."), "unknown field");
  }
  const value = valueAt(input, issue.path);
  const expected = expectation(schema, issue);
  if (value === undefined) return new InvalidInput(path, `required, ${expected}`);
  if (issue.code === "invalid_type")
    return new InvalidInput(path, `${expected}, received ${KINDS[kindOf(value)] ?? "something else"}`);
  return new InvalidInput(path, expected);
}

const KINDS: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "an integer",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "an object",
  null: "null",
};

/** What would have been accepted, in the schema's own words where it has some. */
function expectation(schema: z.core.$ZodType, issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_key") return issue.issues[0]?.message ?? "expected another name";
  const raw = /^(?:Too (?:small|big)|Invalid input): /.test(issue.message);
  const bounds = raw ? boundsInWords(schemaAt(schema, issue.path), issue) : null;
  if (bounds !== null) return bounds;
  const own = issue.message.replace(/^Invalid (?:input|option): /, "");
  if (issue.code !== "invalid_type" || own === issue.message) return own;
  return `expected ${KINDS[issue.expected] ?? issue.expected}`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<PropertyKey, unknown>>)[key];
  }
  return value;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Bytes of UTF-8, the unit every length limit of the interfaces is given in. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

/** A string of `min` to `max` bytes of well-formed UTF-8 without control characters: an opaque id chosen by a client. */
export function opaqueId(min: number, max: number) {
  return z.string(`expected a string of ${min} to ${max} bytes of UTF-8`).check(
    z.refine((text) => byteLength(text) >= min && byteLength(text) <= max, {
      error: `expected ${min} to ${max} bytes of UTF-8`,
      abort: true,
    }),
    z.refine((text) => !/\p{Cc}/u.test(text) && text.isWellFormed(), {
      error: "expected no control characters and no broken surrogates",
    }),
  );
}

/**
 * Text for a model or a person; half a surrogate pair in it would make a provider refuse the whole conversation.
 * `expected` names its bounds to those who send no text at all.
 */
export function wellFormedText(expected = "expected a string") {
  return z.string(expected).check(z.refine((text) => text.isWellFormed(), { error: "expected no broken surrogates" }));
}

/** PostgreSQL stores neither in text nor in jsonb. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0");

export const UNSTORABLE = "expected no NUL characters and no broken surrogates";

/** Throws for the first string or key within `value` that cannot be stored, named by its path. */
export function assertStorable(value: unknown, path: readonly string[] = []): void {
  if (typeof value === "string" && !isStorable(value)) throw new InvalidInput(path.join("."), UNSTORABLE);
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (!isStorable(key)) throw new InvalidInput(path.join(".") || "body", UNSTORABLE);
    assertStorable(inner, [...path, key]);
  }
}

const MAX_DEPTH = 32;

/** A JSON object that is kept for its owner as it is; what databases and recursion cannot bear is refused. */
export function keptJson() {
  return z.record(z.string(), z.unknown()).check(
    z.refine((value) => isFlatterThan(MAX_DEPTH, value), {
      error: `expected at most ${MAX_DEPTH} levels`,
      abort: true,
    }),
    z.refine((value) => everyText(value, isStorable), { error: UNSTORABLE }),
  );
}

function everyText(value: unknown, fits: (text: string) => boolean): boolean {
  if (typeof value === "string") return fits(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, inner]) => fits(key) && everyText(inner, fits));
}
