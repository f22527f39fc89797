import * as z from "zod/mini";
import { type RecordOf, field, nullable, record } from "../record.ts";
import { count, text, time } from "../response-schemas.ts";
import { hostPattern } from "./host-pattern-schema.ts";
import { SECRET_LIMITS, SECRET_PLACES, SECRET_SOURCES, SECRET_VALUE } from "./secret-limits.ts";

const { bytes, hosts: maxHosts, prefix: maxPrefix } = SECRET_LIMITS;
const VALUE = `expected ${bytes.min} to ${bytes.max} printable ASCII characters, without white space at the ends`;
const value = z
  .string(VALUE)
  .check(z.minLength(bytes.min, VALUE), z.maxLength(bytes.max, VALUE), z.regex(SECRET_VALUE, VALUE));
const HEADER = "expected the name of a header or of a parameter, of at most 64 characters";
const header = z.string(HEADER).check(z.regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/, HEADER));
const PREFIX = `expected at most ${maxPrefix} printable ASCII characters`;
const prefix = z.string(PREFIX).check(z.regex(new RegExp(`^[ -~]{0,${maxPrefix}}$`), PREFIX));
const FROM = `expected ${SECRET_SOURCES.map((source) => `${source}:…`).join(", ")} with at most 200 letters, digits and _ . / @ -`;
const from = z.string(FROM).check(z.regex(new RegExp(`^(?:${SECRET_SOURCES.join("|")}):[\\w./@-]{1,200}$`), FROM));

const MEANINGS = {
  hosts:
    "The hosts that it is sent to, and no others: names such as `api.example.com`, `*.example.com` or `host:8443`.",
  place:
    "Where it goes in a request: a `header`, a parameter of the `query`, the password of `basic` authentication, or the `body`.",
  header: "The header, or with `query` the parameter. `Authorization` or `token` when omitted.",
  prefix:
    "What stands before it in the header; with `basic` the user. `Bearer ` for `Authorization`, with `basic` `token`, else nothing.",
  from: "Where the daemon reads it instead: `env:NAME`, `file:NAME` or `command:KEY`.",
} as const;

const fields = {
  hosts: field(z.array(hostPattern).check(z.minLength(1), z.maxLength(maxHosts)), MEANINGS.hosts, ["api.example.com"]),
  place: field(z._default(z.enum(SECRET_PLACES), "header"), MEANINGS.place, "header"),
  header: field(z.optional(header), MEANINGS.header, "Authorization"),
  prefix: field(z.optional(prefix), MEANINGS.prefix, "Bearer "),
};

export const userSecretRequest = z.strictObject({ value: field(value, "The value. No call returns it."), ...fields });
/** Only operators may name what is on the host. */
export const productSecretRequest = z.strictObject({
  value: field(z.optional(value), "The value. No call returns it. Either this or `from`."),
  from: field(z.optional(from), MEANINGS.from, "command:github/token"),
  ...fields,
});
export type SecretRequest = z.output<typeof productSecretRequest>;

export const rotateMasterRequest = z.object({
  after: field(
    z.optional(z.string().check(z.minLength(1), z.maxLength(512))),
    "`next` of the call before. From the beginning when omitted.",
  ),
});

const secret = record("SecretRecord", "A secret of a product or a user, without its value.", {
  name: field(text, "Its name.", "GITHUB_TOKEN"),
  hosts: field(z.array(text), MEANINGS.hosts, ["api.github.com", "github.com"]),
  place: field(z.enum(SECRET_PLACES), MEANINGS.place, "header"),
  header: nullable(text, "The header or parameter. `null` where there is none.", "Authorization"),
  prefix: nullable(text, "What stands before it, or the user of `basic`. `null`: nothing.", "Bearer "),
  from: nullable(text, "Where the daemon reads it. `null`: it is stored.", null),
  hash_prefix: nullable(
    text,
    "The first 8 hex digits of the SHA-256 of the value. `null` of one that is not stored.",
    "9f86d081",
  ),
  created_at: field(time, "When it was created."),
  updated_at: field(time, "When it was last set."),
  last_used_at: nullable(time, "When a request of an engine last carried it, to the minute. `null` before."),
});
export type SecretRecord = RecordOf<typeof secret>;

export const SECRET_RESPONSES = {
  SecretRecord: secret,
  Secrets: record("Secrets", "The secrets of a product or a user.", {
    secrets: field(z.array(secret), "All of them, by name."),
  }),
  SecretDeleted: z.object({ deleted: field(z.literal(true), "It is gone.") }),
  MasterRotation: record("MasterRotation", "What was encrypted again with the current secret key.", {
    resealed: field(count, "Values that were encrypted with the previous key.", 12),
    unreadable: field(count, "Values that neither key opens.", 0),
    next: nullable(text, "Where the next call goes on. `null`: the previous key is no longer needed.", null),
  }),
} as const;
