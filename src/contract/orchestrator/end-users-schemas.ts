import * as z from "zod/mini";
import { byteLength, characters, integer, keptJson } from "../../shared/parse.ts";
import { DEFAULT_SCOPE, SCOPE_NAMES, readScopes } from "../engine/scopes.ts";
import { field } from "../record.ts";
import { END_USERS_MEANINGS as MEANINGS, TOKEN_ALGORITHMS } from "./end-users.ts";

const SCOPE = `expected a list of ${SCOPE_NAMES.join(", ")}, separated by spaces`;
const KEY = "expected a public JSON Web Key with kty, of at most 4 KiB";
/** Members of private and symmetric keys. */
const PRIVATE = ["d", "k", "p", "q", "dp", "dq", "qi"];
const publicKey = keptJson().check(
  z.refine((key) => typeof key["kty"] === "string" && !PRIVATE.some((name) => name in key), { error: KEY }),
  z.refine((key) => byteLength(JSON.stringify(key)) <= 4096, { error: KEY }),
);
const URL_FORM = "expected an https:// address";
const address = z.string(URL_FORM).check(
  z.maxLength(2048),
  z.refine((text) => /^https?:\/\//.test(text) && URL.canParse(text), { error: URL_FORM }),
);

/** The end users of a policy patch. They are replaced as a whole; `null` removes them. */
export const endUsersPatch = z.nullable(
  z
    .strictObject({
      issuer: field(characters(1, 512), MEANINGS.issuer, "https://login.example.com"),
      audience: field(characters(1, 512), MEANINGS.audience, "orchd"),
      jwks_url: field(z.optional(address), MEANINGS.jwks_url, "https://login.example.com/jwks"),
      public_keys: field(z.optional(z.array(publicKey).check(z.minLength(1), z.maxLength(16))), MEANINGS.public_keys),
      user_claim: field(z._default(characters(1, 128), "sub"), MEANINGS.user_claim, "sub"),
      algorithms: field(
        z._default(z.array(z.enum(TOKEN_ALGORITHMS)).check(z.minLength(1)), ["RS256", "ES256", "EdDSA"]),
        MEANINGS.algorithms,
      ),
      clock_skew_s: field(z._default(integer(0, 300), 30), MEANINGS.clock_skew_s, 30),
      scope: field(
        z._default(
          z.string(SCOPE).check(z.refine((list) => (readScopes(list)?.size ?? 0) > 0, { error: SCOPE })),
          DEFAULT_SCOPE,
        ),
        MEANINGS.scope,
        DEFAULT_SCOPE,
      ),
    })
    .check(
      z.refine(({ jwks_url, public_keys }) => (jwks_url === undefined) !== (public_keys === undefined), {
        error: "expected either jwks_url or public_keys",
      }),
    ),
);

/** As a policy shows them. */
export const endUsersShown = z.nullable(
  z.object({
    issuer: field(z.string(), MEANINGS.issuer),
    audience: field(z.string(), MEANINGS.audience),
    jwks_url: field(z.optional(z.string()), MEANINGS.jwks_url),
    public_keys: field(z.optional(z.array(keptJson())), MEANINGS.public_keys),
    user_claim: field(z.string(), MEANINGS.user_claim),
    algorithms: field(z.array(z.enum(TOKEN_ALGORITHMS)), MEANINGS.algorithms),
    clock_skew_s: field(z.number(), MEANINGS.clock_skew_s),
    scope: field(z.string(), MEANINGS.scope),
  }),
);
