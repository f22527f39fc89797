import type { ServerResponse } from "node:http";
import type * as z from "zod/mini";
import { parseBody } from "../parse.ts";

const IGNORED_FIELDS_HEADER = "X-Ignored-Fields";

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

const MAX_HEADER_LENGTH = 1000;

/** The value of `X-Ignored-Fields`: as many whole names as fit. */
function ignoredFieldsHeader(names: readonly string[]): string {
  let header = "";
  for (const name of names) {
    const next = `${header}${header && ", "}${encodeURIComponent(name)}`;
    if (next.length > MAX_HEADER_LENGTH) break;
    header = next;
  }
  return header;
}
