import type { ServerResponse } from "node:http";
import type * as z from "zod/mini";
import { ignoredFieldsHeader, parseBody } from "../parse.ts";

export const IGNORED_FIELDS_HEADER = "X-Ignored-Fields";

/** Validates a body that was parsed as JSON. Fields that the schema does not have are named in `X-Ignored-Fields`. */
export function validateBody<S extends z.ZodMiniObject>(
  schema: S,
  json: unknown,
  response: ServerResponse,
): z.output<S> {
  const { value, ignored } = parseBody(schema, json);
  if (ignored.length > 0) response.setHeader(IGNORED_FIELDS_HEADER, ignoredFieldsHeader(ignored));
  return value;
}
