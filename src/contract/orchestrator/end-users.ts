/** Signatures that a party without the private key cannot make. */
export const TOKEN_ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
] as const;

/** The product's own identity provider, whose tokens its end users bring. */
export interface EndUsers {
  readonly issuer: string;
  readonly audience: string;
  /** Either this or `public_keys`. */
  readonly jwks_url?: string | undefined;
  /** JSON Web Keys. */
  readonly public_keys?: readonly Readonly<Record<string, unknown>>[] | undefined;
  readonly user_claim: string;
  readonly algorithms: readonly (typeof TOKEN_ALGORITHMS)[number][];
  readonly clock_skew_s: number;
  /** Scopes, separated by spaces. */
  readonly scope: string;
}

export const END_USERS_MEANINGS: Readonly<Record<keyof EndUsers, string>> = {
  issuer: "The exact `iss` of its tokens.",
  audience: "The `aud` that its tokens have for orchd.",
  jwks_url: "Where it publishes its keys (JWKS). Either this or `public_keys`.",
  public_keys: "Its keys as JSON Web Keys, 1 to 16 public ones. Either these or `jwks_url`.",
  user_claim: "The claim that is the `user_id`. `sub` when omitted.",
  algorithms: "The signatures that are accepted.",
  clock_skew_s: "Seconds by which its clock may differ. 30 when omitted.",
  scope: "What its tokens [permit](browser.md#scopes), separated by spaces.",
};
