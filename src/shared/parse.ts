import * as z from "zod/mini";
import { isFlatterThan } from "./json-values.ts";

/** The most problems that a message names, so that a client can correct a body at once. */
const MAX_IN_MESSAGE = 5;

/** Invalid input. `field` is a dotted path; the message describes valid input. */
export class InvalidInput extends Error {
  readonly field: string;
  /** Every problem of the input, this one first. */
  readonly all: readonly FieldProblem[];
  constructor(field: string, problem: string, all: readonly FieldProblem[] = []) {
    super(all.length > 0 ? messageOf(all) : `${field}: ${problem}`);
    this.name = "InvalidInput";
    this.field = field;
    this.all = all.length > 0 ? all : [{ path: field.split("."), message: this.message }];
  }
}

interface FieldProblem {
  readonly path: readonly string[];
  /** Begins with the field. */
  readonly message: string;
}

function messageOf(problems: readonly FieldProblem[]): string {
  const named = problems.slice(0, MAX_IN_MESSAGE).map(({ message }) => message);
  const others = problems.length - named.length;
  return named.join("; ") + (others > 0 ? `; and ${others} more` : "");
}

/**
 * Reads unknown input by a schema. Its problems are thrown as one {@link InvalidInput}, each named by its field.
 * Fields the schema does not know are dropped, and the first of them named in `ignored`, unless the schema is strict.
 */
export function parse<S extends z.ZodMiniObject>(
  schema: S,
  input: unknown,
): { readonly value: z.output<S>; readonly ignored: readonly string[] } {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    throw new InvalidInput("body", "expected a JSON object");
  }
  const result = z.safeParse(schema, input, { error: describeIssue, reportInput: true });
  if (!result.success) throw invalidInput(result.error);
  return { value: result.data, ignored: unknownFields(schema.def.shape, input) };
}

const MAX_NAMED = 20;
const MAX_NAME_LENGTH = 100;

/** The first fields that the schema does not have, as a hint at mistakes. */
function unknownFields(known: object, input: object): readonly string[] {
  const names: string[] = [];
  for (const name in input) {
    if (Object.hasOwn(known, name) || !Object.hasOwn(input, name)) continue;
    // A lone surrogate cannot be percent-encoded for the header.
    if (names.push(name.slice(0, MAX_NAME_LENGTH).toWellFormed()) === MAX_NAMED) break;
  }
  return names;
}

/** Like {@link parse}, for a body that may be omitted (`undefined`) if it has no required field. */
export function parseBody<S extends z.ZodMiniObject>(schema: S, body: unknown): ReturnType<typeof parse<S>> {
  if (body !== undefined) return parse(schema, body);
  try {
    return parse(schema, {});
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput("body", `empty, expected a JSON object; ${error.message}`);
  }
}

const MAX_PROBLEMS = 100;

function invalidInput({ issues }: z.core.$ZodError): InvalidInput {
  const all = issues.slice(0, MAX_PROBLEMS).flatMap(fieldProblems);
  // A failed parse has at least one.
  const [{ path, problem }] = all as [ReturnType<typeof fieldProblems>[0]];
  const named = all.map((one) => ({ path: one.path, message: `${fieldOf(one.path)}: ${one.problem}` }));
  return new InvalidInput(fieldOf(path), problem, named);
}

const fieldOf = (path: readonly string[]): string => path.join(".") || "body";

function fieldProblems(outer: z.core.$ZodIssue): { readonly path: readonly string[]; readonly problem: string }[] {
  const issue = innermost(outer);
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys")
    return issue.keys.slice(0, MAX_PROBLEMS).map((key) => ({ path: [...path, key], problem: issue.message }));
  if (issue.input === undefined) return [{ path, problem: `required, ${issue.message}` }];
  const received = issue.code === "invalid_type" ? `, received ${nameOf(kindOf(issue.input))}` : "";
  return [{ path, problem: issue.message + received }];
}

/** The alternative of a union that the input is meant as: the only one with a nested problem. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== "invalid_union") return issue;
  const inside = issue.errors.flatMap(([first]) => (first !== undefined && first.path.length > 0 ? [first] : []));
  const [one] = inside;
  return one === undefined || inside.length > 1 ? issue : innermost({ ...one, path: [...issue.path, ...one.path] });
}

/** A description of valid input for a schema without a message, since zod/mini has no messages. */
export function describeIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `expected ${nameOf(issue.expected)}`;
    case "invalid_value":
      return `expected ${oneOf(issue.values)}`;
    case "too_small":
      return `expected ${issue.exact ? "" : "at least "}${amount(Number(issue.minimum), issue.origin)}`;
    case "too_big":
      return `expected ${issue.exact ? "" : "at most "}${amount(Number(issue.maximum), issue.origin)}`;
    case "invalid_format":
      return issue.pattern === undefined
        ? `expected a string as ${issue.format}`
        : `expected a match of ${issue.pattern}`;
    case "invalid_key":
      return issue.issues[0]?.message ?? "expected another name";
    case "unrecognized_keys":
      return `unknown field${knownFields(issue.inst)}`;
    case "invalid_union":
      if (issue.errors.length === 0 && "options" in issue)
        return `expected ${oneOf(issue.options as readonly unknown[])}`;
      return issue.errors
        .flatMap(([first]) => first?.message ?? [])
        .map((message, at) => (at === 0 ? message : message.replace(/^expected /, "")))
        .join(", or ");
    default:
      return "expected another value";
  }
}

const oneOf = (values: readonly unknown[]): string =>
  values.length > 1 ? `one of ${values.join(", ")}` : JSON.stringify(values[0]);

/** The fields of a strict schema, after the word that one is unknown. */
function knownFields(schema: unknown): string {
  const fields = schema instanceof z.ZodMiniObject ? Object.keys(schema.def.shape) : [];
  return fields.length > 0 ? `; expected one of ${fields.join(", ")}` : "";
}

const KINDS: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "an integer",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "an object",
};
const nameOf = (kind: string): string => KINDS[kind] ?? kind;

const UNITS: Readonly<Record<string, string>> = { string: "character", array: "item" };

function amount(count: number, origin: string): string {
  const unit = UNITS[origin];
  return unit === undefined ? String(count) : `${count} ${unit}${count === 1 ? "" : "s"}`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** An integer within bounds, both included. */
export function integer(min: number, max = Number.MAX_SAFE_INTEGER) {
  const bounds = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  const error = `expected an integer ${bounds}`;
  return z.int(error).check(z.gte(min, error), z.lte(max, error));
}

/** A string with so many characters. */
export function characters(min: number, max: number) {
  const error = `expected ${min} to ${max} characters`;
  return z.string().check(z.minLength(min, error), z.maxLength(max, error));
}

/** Bytes of UTF-8, the unit every length limit of the interfaces is given in. */
export function byteLength(text: string): number {
  // Not Buffer: the types of the client, which come from schemas with this limit, are checked without those of Node.js.
  return new TextEncoder().encode(text).byteLength;
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
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0");

const UNSTORABLE = "expected no NUL characters and no broken surrogates";

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

/** A JSON object that is stored unchanged. Refuses what PostgreSQL cannot store, and deep nesting. */
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
