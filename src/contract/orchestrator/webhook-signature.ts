import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Headers of Standard Webhooks 1.0. */
export const WEBHOOK_HEADERS = {
  id: "webhook-id",
  timestamp: "webhook-timestamp",
  signature: "webhook-signature",
} as const;
/** A secret is this prefix and base64. */
export const WEBHOOK_SECRET_PREFIX = "whsec_";
/** The largest distance of a message's timestamp from now, in either direction. */
export const WEBHOOK_TOLERANCE_S = 300;

const SECRET_BYTES = 32;

export const newWebhookSecret = (): string => WEBHOOK_SECRET_PREFIX + randomBytes(SECRET_BYTES).toString("base64");

const VERSION = "v1";
/** A full stop separates the signed parts, so an id with one could be read in two ways. */
const ID = /^[\x21-\x2d\x2f-\x7e]{1,255}$/;
const TIMESTAMP = /^[1-9]\d{0,12}$/;
const MAX_SIGNATURES = 10;

export interface SignedMessage {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly timestamp: string;
  /** The header's value: versions with signatures, separated by spaces. */
  readonly signature: string;
  readonly body: Uint8Array;
}

/** The value of `webhook-signature` for a message and a secret. */
export function signWebhook(secret: string, { id, timestamp, body }: Omit<SignedMessage, "signature">): string {
  return `${VERSION},${digest(secret, { id, timestamp, body }).toString("base64")}`;
}

/** Whether a message is well formed, recent and signed with one of the secrets. Compares in constant time. */
export function isSigned(
  { id, timestamp, signature, body }: SignedMessage,
  { secrets, now }: { readonly secrets: readonly string[]; readonly now: number },
): boolean {
  const given = signature
    .split(" ", MAX_SIGNATURES)
    .flatMap((one) => (one.startsWith(`${VERSION},`) ? [Buffer.from(one.slice(VERSION.length + 1), "base64")] : []));
  const matches = secrets.map((secret) => {
    const expected = digest(secret, { id, timestamp, body });
    return given.filter((one) => one.length === expected.length && timingSafeEqual(one, expected)).length > 0;
  });
  const isRecent = Math.abs(now / 1000 - Number(timestamp)) <= WEBHOOK_TOLERANCE_S;
  return ID.test(id) && TIMESTAMP.test(timestamp) && isRecent && matches.includes(true);
}

function digest(secret: string, { id, timestamp, body }: Omit<SignedMessage, "signature">): Buffer {
  const key = Buffer.from(secret.slice(WEBHOOK_SECRET_PREFIX.length), "base64");
  return createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
}
