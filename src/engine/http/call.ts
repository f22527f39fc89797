import type { Request, Response } from "express";
import type * as z from "zod/mini";
import { IGNORED_FIELDS_HEADER } from "../../contract/orchestrator-api.ts";
import type { IntegerParameter } from "../../contract/route-table.ts";
import { InvalidInput, ignoredFieldsHeader, parseBody } from "../../shared/parse.ts";

/** Checks a body; fields that nobody knows are named in `X-Ignored-Fields`. */
export function readBody<S extends z.ZodMiniObject>(schema: S, request: Request, response: Response): z.output<S> {
  const { value, ignored } = parseBody(schema, request.body);
  if (ignored.length > 0) response.set(IGNORED_FIELDS_HEADER, ignoredFieldsHeader(ignored));
  return value;
}

/** A query parameter given once; given more often the last counts. */
export function parameter(request: Request, name: string): string | undefined {
  const value = request.query[name];
  if (value === undefined) return undefined;
  return Array.isArray(value) ? String(value.at(-1)) : String(value);
}

export function integerParameter(request: Request, name: string, { min, max, fallback }: IntegerParameter): number {
  const text = parameter(request, name);
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!/^\d{1,15}$/.test(text) || value < min || value > max) {
    throw new InvalidInput(name, `expected an integer from ${min} to ${max}`);
  }
  return value;
}

export function flagParameter(request: Request, name: string): boolean {
  const text = parameter(request, name) ?? "false";
  if (text !== "true" && text !== "false") throw new InvalidInput(name, "expected true or false");
  return text === "true";
}
