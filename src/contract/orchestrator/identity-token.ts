import * as z from "zod/mini";
import { type RecordOf, field, nullable, record } from "../record.ts";
import { count, text, time } from "../response-schemas.ts";

/** Of a token. */
export const IDENTITY_TOKEN_S = 300;
/** How long readers of the published keys may keep them. */
export const IDENTITY_KEYS_MAX_AGE_S = 300;
export const IDENTITY_ALGORITHM = "ES256";
/** An audience is a URL or a name without spaces. */
export const AUDIENCE = /^[\u0021-\u007e]{1,255}$/;

/** Whom a token names. */
export interface IdentityClaims {
  readonly userId: string;
  /** The slug of the product. */
  readonly product: string;
  readonly engineId: string;
  /** As the engine says. Null for calls that no agent makes, such as the list of a server's tools. */
  readonly agent: string | null;
  readonly audience: string;
}

const identityKey = record("IdentityKey", "A public key, as JSON Web Key (RFC 7517).", {
  kid: field(text, "Its id, as `kid` in the header of tokens.", "idk_01jd3vb2n8"),
  kty: field(z.literal("EC"), "Its type.", "EC"),
  crv: field(z.literal("P-256"), "Its curve.", "P-256"),
  alg: field(z.literal(IDENTITY_ALGORITHM), "The algorithm of its signatures.", IDENTITY_ALGORITHM),
  use: field(z.literal("sig"), "It signs.", "sig"),
  x: field(text, "The first coordinate, base64url."),
  y: field(text, "The second coordinate, base64url."),
});
const identityKeys = record("IdentityKeys", "The keys that sign identity tokens, as JSON Web Key Set (RFC 7517).", {
  keys: field(z.array(identityKey), "The one that signs, the next one, and those whose tokens have not all ended."),
});
export type IdentityKeys = RecordOf<typeof identityKeys>;

const identityIssuer = record(
  "IdentityIssuer",
  "Where the keys of identity tokens are, for programs that find them by the issuer.",
  {
    issuer: field(text, "`iss` of the tokens: the host's public URL.", "https://agents.example.com"),
    jwks_uri: field(text, "The address of the keys.", "https://agents.example.com/.well-known/jwks.json"),
    id_token_signing_alg_values_supported: field(z.array(text), "The algorithms of signatures.", [IDENTITY_ALGORITHM]),
    response_types_supported: field(z.array(text), "Required by the format. Nobody signs in here.", ["id_token"]),
    subject_types_supported: field(z.array(text), "`sub` is the same for every audience.", ["public"]),
  },
);

export const rotateIdentityKeyRequest = z.object({
  at_once: field(
    z.optional(z.boolean()),
    "Whether the new key signs at once and the others are withdrawn, because one may have leaked. `false` when omitted.",
    false,
  ),
});

const identityKeyRotation = record("IdentityKeyRotation", "A change of the key that signs identity tokens.", {
  kid: field(text, "The new key.", "idk_01jd3vb2n8"),
  signs_from: field(time, "When it begins to sign. Until then products read it among the published keys."),
  replaces: nullable(text, "The key that signs until then. `null` with `at_once`.", "idk_01jd3v8k2m"),
  published: field(count, "How many keys are published now.", 2),
});
export type IdentityKeyRotation = RecordOf<typeof identityKeyRotation>;

export const IDENTITY_RESPONSES = {
  IdentityKeys: identityKeys,
  IdentityIssuer: identityIssuer,
  IdentityKeyRotation: identityKeyRotation,
} as const;
