import { WEBHOOK_HEADERS, signWebhook } from "../../contract/orchestrator/webhook-signature.ts";

/** The headers of a message by Standard Webhooks, signed with each secret that is valid now. `now`: milliseconds. */
export function signedHeaders(
  secrets: readonly string[],
  { id, body, now }: { readonly id: string; readonly body: Uint8Array; readonly now: number },
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1000));
  const signature = secrets.map((secret) => signWebhook(secret, { id, timestamp, body })).join(" ");
  return {
    "content-type": "application/json",
    [WEBHOOK_HEADERS.id]: id,
    [WEBHOOK_HEADERS.timestamp]: timestamp,
    [WEBHOOK_HEADERS.signature]: signature,
  };
}
