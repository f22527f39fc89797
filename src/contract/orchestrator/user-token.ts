import * as z from "zod/mini";
import { integer, keptJson } from "../../shared/parse.ts";
import { DEFAULT_SCOPE, SCOPE_NAMES, readScopes } from "../engine/scopes.ts";
import { taskBounds } from "../engine/task-bounds.ts";
import { type RecordOf, field, nullable, record } from "../record.ts";
import { count, text, time } from "../response-schemas.ts";

export const USER_TOKEN_PREFIX = "orcht_";
/** Seconds. `MAX`: also how long a signing key is accepted after its replacement. */
export const USER_TOKEN_TTL_S = { DEFAULT: 900, MAX: 3600 } as const;
/** Longer ones are refused before they are read. */
export const MAX_USER_TOKEN = 4096;

const SCOPE = `expected a list of ${SCOPE_NAMES.join(", ")}, separated by spaces`;

export const userTokenRequest = z.object({
  ttl_s: field(z.optional(integer(1, USER_TOKEN_TTL_S.MAX)), "Seconds until it ends. 900 when omitted.", 900),
  scope: field(
    z.optional(z.string(SCOPE).check(z.refine((list) => (readScopes(list)?.size ?? 0) > 0, { error: SCOPE }))),
    "What it [permits](browser.md#scopes), separated by spaces.",
    DEFAULT_SCOPE,
  ),
  tasks: field(
    z.optional(taskBounds),
    "The only [tasks](browser.md#some-tasks-alone) that it reaches, `{ids}` or `{prefix}`, in at most 1 KiB. All when omitted.",
    { prefix: "course-7/" },
  ),
  metadata: field(z.optional(keptJson()), "An object that the audit log keeps with the token's id, at most 1 KiB."),
});

const userToken = record("UserToken", "A token with which the user's own browser or app calls the user's engine.", {
  id: field(text, "The token's id, as the audit log has it.", "tok_01jd3vb2n8"),
  token: field(text, "The token, shown only now. It is sent as `Authorization: Bearer <token>`.", "orcht_eyJhbGciOi…"),
  scope: field(text, "What it permits, separated by spaces.", "turns answers tasks:read tasks:write"),
  expires_at: field(time, "When it ends."),
  url: nullable(
    text,
    "The daemon's address for browsers, from `ORCH_PUBLIC_URL`. `null` when it is not set.",
    "https://agents.example.com",
  ),
});
export type UserToken = RecordOf<typeof userToken>;

const tokensRevoked = record("UserTokensRevoked", "The end of all tokens of a user.", {
  epoch: field(count, "How often the user's tokens have been revoked.", 1),
});

export const USER_TOKEN_RESPONSES = { UserToken: userToken, UserTokensRevoked: tokensRevoked } as const;
