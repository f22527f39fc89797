import * as z from "zod/mini";
import { identityRequest } from "../tools/web/identity-source.ts";

const text = z.string().check(z.maxLength(10_000));
export const texts = z.record(z.string().check(z.regex(/^[A-Za-z_][\w-]{0,127}$/, "expected a plain name")), text);

/** An inner list is omitted if one of its arguments is missing. */
export const command = z.strictObject({
  argv: z.array(z.union([text, z.array(text)])).check(z.minLength(1), z.maxLength(200)),
  env: z.optional(texts),
});

export const http = z.strictObject({
  method: z.optional(z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])),
  url: text,
  query: z.optional(texts),
  headers: z.optional(texts),
  body: z.optional(z.unknown()),
  identity: z.optional(identityRequest),
});

export type CommandAction = z.output<typeof command>;
export type HttpAction = z.output<typeof http>;

/** What a declared tool does on the engine's side. */
export type ToolAction =
  | { readonly kind: "command"; readonly command: CommandAction }
  | { readonly kind: "http"; readonly http: HttpAction };
