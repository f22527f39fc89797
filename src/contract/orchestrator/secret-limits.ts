/** Where a value goes in a request. */
export const SECRET_PLACES = ["header", "query", "basic", "body"] as const;
export type SecretPlace = (typeof SECRET_PLACES)[number];

/** Where values come from that are not stored. */
export const SECRET_SOURCES = ["env", "file", "command"] as const;
export type SecretSource = (typeof SECRET_SOURCES)[number];

/** `bytes`: a shorter value would be found in ordinary answers, from which it is cut. */
export const SECRET_LIMITS = {
  ofProduct: 100,
  ofUser: 100,
  bytes: { min: 8, max: 8192 },
  hosts: 16,
  prefix: 128,
} as const;

export const SECRET_NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
export const SECRET_NAME_FORM = "expected a letter and at most 63 more letters, digits and _";
/** In a header nothing else is possible. */
export const SECRET_VALUE = /^[!-~](?:[ -~]*[!-~])?$/;
