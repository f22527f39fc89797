import * as z from "zod/mini";
import { integer } from "../../shared/parse.ts";
import { type RecordOf, extended, field, nullable, page, record } from "../record.ts";
import { count, text, time } from "../response-schemas.ts";
import { type EventType, ORCHESTRATOR_EVENTS } from "./event-types.ts";
import { WEBHOOK_SECRET_PREFIX } from "./webhook-signature.ts";

export const NOTIFICATION_LIMITS = { endpoints: 20, url: 2048, secretBytes: { min: 24, max: 64 } } as const;
/** The waits before a delivery is tried again, in seconds. After the last one it is dead. */
export const RETRY_AFTER_S = [5, 60, 300, 1800, 7200, 21_600, 57_600] as const;
export const DELIVERY_STATES = ["pending", "delivered", "dead"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Events of a product, which its endpoints can ask for. */
export const NOTIFIED_EVENTS = (Object.keys(ORCHESTRATOR_EVENTS) as EventType[]).filter(
  (type) => !type.startsWith("host."),
);
/** Sent to one endpoint on request. */
export const TEST_EVENT = "notification.test";

const events = z.array(z.enum(NOTIFIED_EVENTS as [EventType, ...EventType[]])).check(z.minLength(1), z.maxLength(100));
const EVENTS = "The [events](orchestrator-api.md#events) that are sent.";

const SECRET = `expected ${WEBHOOK_SECRET_PREFIX} and 24 to 64 bytes in base64`;
/** The secret with which messages are signed. */
export const webhookSecret = z.string(SECRET).check(
  z.refine(
    (value) => {
      const { min, max } = NOTIFICATION_LIMITS.secretBytes;
      const encoded = value.slice(WEBHOOK_SECRET_PREFIX.length);
      const { length } = Buffer.from(encoded, "base64");
      return (
        value.startsWith(WEBHOOK_SECRET_PREFIX) && /^[A-Za-z0-9+/]+=*$/.test(encoded) && length >= min && length <= max
      );
    },
    { error: SECRET },
  ),
);
const url = z.string().check(z.minLength(1), z.maxLength(NOTIFICATION_LIMITS.url));
const URL_MEANING =
  "Where messages are sent: an `https` address of the public internet, or a host of the policy's `private_hosts`.";

export const endpointRequest = z.strictObject({
  url: field(url, URL_MEANING, "https://api.example.com/orchd"),
  events: field(events, EVENTS, ["engine.gave_up", "budget.spent"]),
  secret: field(z.optional(webhookSecret), "The secret that signs messages. Made when omitted."),
});
export type EndpointRequest = z.output<typeof endpointRequest>;

export const endpointPatch = z.partial(
  z.strictObject({
    url: field(url, URL_MEANING, "https://api.example.com/orchd"),
    events: field(events, EVENTS, ["engine.gave_up"]),
    enabled: field(z.boolean(), "`false` pauses it: messages wait.", false),
  }),
);
export type EndpointPatch = z.output<typeof endpointPatch>;

export const endpointSecretRequest = z.object({
  grace_s: field(
    z.optional(integer(0, 86_400)),
    "Seconds in which messages are signed with both secrets. 0 when omitted.",
    3600,
  ),
});

export const replayRequest = z.object({
  delivery_id: field(
    z.optional(z.string().check(z.minLength(1), z.maxLength(64))),
    "One delivery, whatever became of it. All dead ones when omitted.",
    "ntf_01jd3vb2n8",
  ),
});

const endpoint = record("NotificationEndpoint", "An address of the product that is told of events.", {
  id: field(text, "Its id.", "nep_01jd3vc5t2"),
  url: field(text, URL_MEANING, "https://api.example.com/orchd"),
  events: field(z.array(text), EVENTS, ["engine.gave_up", "budget.spent"]),
  enabled: field(z.boolean(), "`false` while it is paused: messages wait.", true),
  paused_reason: nullable(text, "Why orchd paused it: it answered 410. `null` otherwise.", null),
  pending: field(count, "Deliveries that wait for a try.", 0),
  dead: field(count, "Deliveries that were given up.", 0),
  last_delivered_at: nullable(time, "When a message was last accepted. `null` before."),
  failing_since: nullable(time, "The first of the tries that have failed since then. `null` after a success."),
  created_at: field(time, "When it was created."),
  updated_at: field(time, "When it was last changed."),
});
export type NotificationEndpoint = RecordOf<typeof endpoint>;

const delivery = record("NotificationDelivery", "One message to one endpoint.", {
  id: field(text, "Its id, the `webhook-id` of every try.", "ntf_01jd3vb2n8"),
  type: field(text, "The event.", "engine.gave_up"),
  state: field(
    z.enum(DELIVERY_STATES),
    "`pending` waits for a try, `delivered` was accepted, `dead` was given up.",
    "pending",
  ),
  attempts: field(count, "Tries so far.", 1),
  next_try_at: nullable(time, "When it is tried next. `null` unless it is pending."),
  last_error: nullable(text, "How the last try failed: `status 500`, or a code such as `ETIMEDOUT`.", "status 500"),
  created_at: field(time, "When the event was taken."),
  delivered_at: nullable(time, "When it was accepted."),
});
export type NotificationDelivery = RecordOf<typeof delivery>;

const withSecret = extended(endpoint, "NotificationEndpointWithSecret", "An endpoint with its secret.", {
  secret: field(text, "The secret that signs messages, returned once.", "whsec_4f0a…"),
});

export const NOTIFICATION_RESPONSES = {
  NotificationEndpoint: endpoint,
  NotificationEndpointWithSecret: withSecret,
  NotificationEndpoints: record("NotificationEndpoints", "The endpoints of a product.", {
    endpoints: field(z.array(endpoint), "All of them, by id."),
  }),
  NotificationEndpointDeleted: z.object({ deleted: field(z.literal(true), "It and its deliveries are gone.") }),
  NotificationDelivery: delivery,
  NotificationDeliveryPage: page(delivery, "Deliveries, the newest first."),
  NotificationsReplayed: z.object({ replayed: field(count, "Deliveries that are tried again.", 3) }),
} as const;
