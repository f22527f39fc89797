import * as z from "zod/mini";

/** Shared parts of response schemas. `satisfies` checks them against the record interfaces. */
export const text = z.string();
export const count = z.int().check(z.gte(0));
/** Any JSON object. */
export const jsonObject = z.record(z.string(), z.unknown());
/** ISO 8601 UTC with milliseconds. */
export const time = z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/));
export const timeOrNull = z.nullable(time);
export const textOrNull = z.nullable(text);

/** An OpenAPI document: its own schema describes it further. */
export const openApiDocument = z.looseObject({
  openapi: z.string().check(z.regex(/^3\.1\.\d+$/)),
  info: jsonObject,
  paths: jsonObject,
});
