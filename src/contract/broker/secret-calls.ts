/** Calls of engines at the broker that carry secrets. All are below this path. */
export const SECRET_PREFIX = "/secrets/";
/** Any method: the request, which goes on to its target with the values in place of their placeholders. */
export const SECRET_CALL_PATH = "/secrets/call";
/** `POST {names}`: the hosts of each secret, `{hosts: {NAME: [...]}}`. Those that do not exist are left out. */
export const SECRET_HOSTS_PATH = "/secrets/hosts";

/** The key of the engine that calls. */
export const ENGINE_KEY_HEADER = "x-orchd-engine-key";
/** The URL that the request is for, as base64url. */
export const SECRET_TARGET_HEADER = "x-orchd-secret-target";
/** The placeholder of the secret that the request gets in its place, if it has none itself. */
export const SECRET_HEADER = "x-orchd-secret";
/** On an answer: the broker itself refuses the call, and nothing was sent. */
export const SECRET_REFUSED_HEADER = "x-orchd-secret-refused";

export const encodeUrl = (url: string): string => Buffer.from(url).toString("base64url");
export const decodeUrl = (text: string): string => Buffer.from(text, "base64url").toString("utf8");

/** Why a request with a placeholder was refused. */
export const MISUSES = ["other engine", "other host", "not https", "other place"] as const;
export type Misuse = (typeof MISUSES)[number];
