import type { IncomingHttpHeaders } from "node:http";
import type { Response } from "express";
import type * as z from "zod/mini";
import { InvalidInput, parseBody } from "../../kit/parse.ts";
import { ApiError } from "../api-error.ts";
import type { Product } from "../operations/identify-product.ts";

/** One call as its route's handler gets it: authenticated, counted, its body JSON but not checked yet. */
export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** Aborted when the client is gone. */
  readonly clientGone: AbortSignal;
  /** The calling product; throws on a route that does not authenticate one. */
  readonly product: Product;
  /** Checks the body; fields that nobody knows are named in `X-Ignored-Fields`. */
  body<S extends z.ZodMiniObject>(schema: S): z.output<S>;
  /** For an answer that is no JSON document. */
  readonly response: Response;
}

/** What a handler answers; undefined when it has answered by itself. */
export type Answer = { readonly status: number; readonly body: unknown; readonly secret?: boolean } | undefined;
export type Handler = (call: Call) => Answer | Promise<Answer>;

/** Reads a body's bytes as JSON; undefined when there are none. */
function readJson(bytes: unknown): unknown {
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) return undefined;
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    const detail = error instanceof Error ? `: ${error.message}` : "";
    throw new ApiError("INVALID_REQUEST", `body: expected JSON in UTF-8${detail.slice(0, 120)}`, { cause: error });
  }
}

export function readBody<S extends z.ZodMiniObject>(
  schema: S,
  bytes: unknown,
  ignore: (fields: readonly string[]) => void,
): z.output<S> {
  const { value, ignored } = parseBody(schema, readJson(bytes));
  ignore(ignored);
  return value;
}

/** A query parameter that is a whole number within bounds. */
export function integerParameter(
  call: Call,
  name: string,
  fallback: number,
  { min, max }: { min: number; max: number },
): number {
  const text = call.query[name];
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!/^\d{1,10}$/.test(text) || value < min || value > max) {
    throw new InvalidInput(name, `expected an integer from ${min} to ${max}`);
  }
  return value;
}

export function flagParameter(call: Call, name: string): boolean {
  const text = call.query[name] ?? "false";
  if (text !== "true" && text !== "false") throw new InvalidInput(name, "expected true or false");
  return text === "true";
}

export function choiceParameter<T extends string>(call: Call, name: string, choices: readonly T[]): T | null {
  const text = call.query[name];
  if (text === undefined) return null;
  const found = choices.find((choice) => choice === text);
  if (found === undefined) throw new InvalidInput(name, `expected one of ${choices.join(", ")}`);
  return found;
}

export interface PageWish {
  readonly after: string | null;
  readonly limit: number;
}

const CURSOR = /^[a-z]{3}_[0-9a-f-]{36}$/;

export function pageParameters(call: Call): PageWish {
  const after = call.query["cursor"] ?? null;
  if (after !== null && !CURSOR.test(after))
    throw new InvalidInput("cursor", "expected the next_cursor of a page before");
  return { after, limit: integerParameter(call, "limit", 50, { min: 1, max: 200 }) };
}

/** The event that a reader saw last, by its `Last-Event-ID`. */
export function eventIdHeader({ headers }: Call): string | null {
  const id = headers["last-event-id"];
  if (id === undefined || id === "") return null;
  if (typeof id !== "string" || !CURSOR.test(id))
    throw new InvalidInput("Last-Event-ID", "expected the id of an event");
  return id;
}

/** A page of records; a full one may have another behind it. */
export function pageOf(data: readonly { readonly id: string }[], limit: number): Answer {
  return { status: 200, body: { data, next_cursor: data.length === limit ? (data.at(-1)?.id ?? null) : null } };
}
