import { setImmediate as nextLoop } from "node:timers/promises";
import { RETRY_AFTER_S } from "../../contract/orchestrator/notification.ts";
import type { Alarm } from "../../shared/alarm.ts";
import { inBackground } from "../../shared/background.ts";
import type { EngineHost, Service } from "../host-context.ts";
import { type OutsideAnswer, callOutside } from "../outbound/call-outside.ts";
import { signedHeaders } from "../outbound/signed-headers.ts";
import {
  type ClaimedDelivery,
  claimDeliveries,
  msUntilNextTry,
  pauseEndpoint,
  settleDelivered,
  settleFailed,
} from "../store/notification-deliveries.ts";
import type { SealedBox } from "../store/sealed-box.ts";
import { DeliveredBatches } from "./delivered-batches.ts";
import { DeliveriesInFlight } from "./deliveries-in-flight.ts";
import { spreadEvents } from "../store/notification-outbox.ts";

/** In flight at once. The 20 endpoints of a product, all but one of which hang, leave room for the last. */
const IN_FLIGHT = { first: 2, perEndpoint: 40, perProduct: 50 };
const CLAIMED_AT_ONCE = 200;
const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 4096;
/** How often the events are read that other daemons wrote. */
const POLL_MS = 5000;
/** An event is counted before its transaction has committed. */
const LOOKS_AFTER_MS = [50, 1000] as const;
const RETRY_MS = 2000;
const GONE = 410;
const UNREADABLE = "its secret was encrypted with another ORCH_SECRET_KEY: rotate it, then replay";

type Host = EngineHost & Service;

/** Sends notifications until the daemon stops: at least once, and those of one engine in their order. */
export async function deliverNotifications(host: Host): Promise<void> {
  const { notified, stopping, logger } = host;
  const inFlight = new DeliveriesInFlight(IN_FLIGHT);
  const accepted = new DeliveredBatches((batch: readonly ClaimedDelivery[]) => settleDelivered(host.db, batch));
  host.events.onWritten(lookLater(notified));
  for (let waitMs = 0; !stopping.aborted; await notified.wait(waitMs, stopping)) {
    try {
      while (await spreadEvents(host.db)) await nextLoop();
      const claimed = await claimDeliveries(host.db, { limit: CLAIMED_AT_ONCE, room: inFlight.room() });
      for (const delivery of claimed) {
        const end = inFlight.begin(delivery);
        const ended = deliver(host, delivery, accepted).then(end, (error: unknown) => {
          end(false);
          throw error;
        });
        inBackground(
          "notification",
          ended.finally(() => notified.ring()),
        );
      }
      const dueMs = claimed.length === CLAIMED_AT_ONCE ? 0 : await msUntilNextTry(host.db);
      // An end rings for what waits for room.
      waitMs = dueMs === null ? POLL_MS : Math.min(dueMs, POLL_MS);
    } catch (error) {
      logger.warn({ err: error }, "failed to deliver notifications");
      waitMs = RETRY_MS;
    }
  }
}

/** Rings after an event was written, when its transaction has committed. */
function lookLater(alarm: Alarm): () => void {
  let isPlanned = false;
  return () => {
    if (isPlanned) return;
    isPlanned = true;
    for (const [place, afterMs] of LOOKS_AFTER_MS.entries()) {
      const timer = setTimeout(() => {
        if (place === 0) isPlanned = false;
        alarm.ring();
      }, afterMs);
      timer.unref();
    }
  };
}

/** One try of a delivery that was claimed; whether it was accepted. A failure to store its end leaves it to the next claim. */
async function deliver(
  host: Host,
  delivery: ClaimedDelivery,
  accepted: DeliveredBatches<ClaimedDelivery>,
): Promise<boolean> {
  const policy = await host.directory.policyOf(delivery.product_id);
  if (policy === null) return false;
  const message = messageOf(host, delivery);
  if (message === null) return giveUp(host, delivery);
  const answer = await callOutside({
    url: delivery.url,
    method: "POST",
    ...message,
    privateHosts: policy.private_hosts,
    timeoutMs: TIMEOUT_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    signal: host.stopping,
  });
  // The next daemon tries it again.
  if (host.stopping.aborted) return false;
  const error = errorOf(answer);
  if (error === null) {
    await accepted.add(delivery);
    host.metrics.notifications.inc({ outcome: "delivered" });
    return true;
  }
  if (answer.kind === "answered" && answer.status === GONE)
    await pauseEndpoint(host.db, delivery.endpoint_id, "it answered 410 Gone");
  const retryS = RETRY_AFTER_S[delivery.attempts - 1] ?? null;
  await settleFailed(host.db, delivery, { error, retryS });
  host.metrics.notifications.inc({ outcome: retryS === null ? "dead" : "failed" });
  return false;
}

/** A try more would find the same. */
async function giveUp({ db, metrics }: Host, delivery: ClaimedDelivery): Promise<false> {
  await settleFailed(db, delivery, { error: UNREADABLE, retryS: null });
  metrics.notifications.inc({ outcome: "dead" });
  return false;
}

/** By Standard Webhooks, signed with each secret that is valid now. Null when the endpoint's cannot be read. */
function messageOf(
  { box, now }: Pick<Host, "box" | "now">,
  { id, payload, secret, previous_secret: previous }: ClaimedDelivery,
): { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer } | null {
  const current = opened(box, secret);
  if (current === null) return null;
  const body = Buffer.from(JSON.stringify({ id, ...payload }));
  const earlier = previous === null ? null : opened(box, previous);
  const secrets = [current, ...(earlier === null ? [] : [earlier])];
  return { headers: signedHeaders(secrets, { id, body, now: now() }), body };
}

function opened(box: Pick<SealedBox, "open">, sealed: Buffer): string | null {
  try {
    return box.open(sealed);
  } catch {
    return null;
  }
}

function errorOf(answer: OutsideAnswer): string | null {
  if (answer.kind === "answered") return answer.status >= 200 && answer.status < 300 ? null : `status ${answer.status}`;
  return answer.kind === "refused" ? `refused: ${answer.reason}` : answer.reason;
}
