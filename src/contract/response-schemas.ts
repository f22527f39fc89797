import * as z from "zod/mini";

/** Shared parts of response schemas. */
export const text = z.string();
export const count = z.int().check(z.gte(0));
/** Any JSON object. */
export const jsonObject = z.record(z.string(), z.unknown());
/** ISO 8601 UTC with milliseconds. */
export const time = z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/));
export const timeOrNull = z.nullable(time);

/** An OpenAPI document: its own schema describes it further. */
export const openApiDocument = z.looseObject({
  openapi: z.string().check(z.regex(/^3\.1\.\d+$/), z.describe("The version of OpenAPI.")),
  info: jsonObject.check(z.describe("Title, version and description of the interface.")),
  paths: jsonObject.check(z.describe("The routes.")),
});
