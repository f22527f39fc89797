import { inBackground } from "../../shared/background.ts";
import type { WebhookAccepted } from "../../contract/orchestrator/schedule.ts";
import { type SignedMessage, WEBHOOK_SECRET_PREFIX, isSigned } from "../../contract/orchestrator/webhook-signature.ts";
import { fillTemplate } from "../../contract/orchestrator/webhook-template.ts";
import { newId } from "../../shared/ids.ts";
import { InvalidInput, assertStorable } from "../../shared/parse.ts";
import { ApiError } from "../api-error.ts";
import type { EngineHost, HostContext } from "../host-context.ts";
import { runDenial } from "../rules/admission.ts";
import { type RequestWindow, admit, emptyWindow } from "../rules/request-window.ts";
import { BatchedLookups } from "../store/batched-lookups.ts";
import type { WebhookRow } from "../store/schedule-tables.ts";
import { findRunOfMessage, insertRuns } from "../store/scheduled-runs.ts";
import { findWebhooksById } from "../store/webhooks.ts";
import { executeRun } from "../supervision/execute-run.ts";
import { newWebhookRun } from "./new-run.ts";

interface Received {
  readonly answer: WebhookAccepted;
  /** Whether an earlier call with the same id started the run. */
  readonly isReplay: boolean;
}

const MAX_WINDOWS = 10_000;
/** The longest message of a turn, in characters. In bytes it stays below the engine's limit. */
const MAX_TURN_LENGTH = 256 * 1024;

/** Messages of webhooks: each starts at most one turn. Tested in test/end-to-end/webhooks.test.ts. */
export class WebhookReceiver {
  readonly #host: EngineHost;
  /** Batched, so that unauthenticated callers can occupy only one connection of the pool. */
  readonly #webhooks: BatchedLookups<WebhookRow>;
  readonly #windows = new Map<string, RequestWindow>();

  constructor(host: EngineHost) {
    this.#host = host;
    this.#webhooks = new BatchedLookups((ids) => findWebhooksById(host.db, ids));
  }

  async receive(webhookId: string, message: SignedMessage): Promise<Received> {
    const { metrics } = this.#host;
    try {
      const received = await this.#receive(webhookId, message);
      metrics.webhookCalls.inc({ outcome: received.isReplay ? "replayed" : "accepted" });
      return received;
    } catch (error) {
      metrics.webhookCalls.inc({
        outcome: error instanceof ApiError ? (OUTCOMES[error.code] ?? "refused") : "refused",
      });
      throw error;
    }
  }

  async #receive(webhookId: string, message: SignedMessage): Promise<Received> {
    const host = this.#host;
    const webhook = await this.#authenticate(webhookId, message);
    this.#count(webhook);
    const policy = await host.directory.policyOf(webhook.product_id);
    const problem = webhook.enabled ? policy && runDenial(policy) : "the webhook is paused";
    if (problem !== null) throw new ApiError("POLICY_DENIED", problem);
    const { id: key, timestamp } = message;
    const payload = textOf(message.body);
    const id = newId("run");
    // The fence is derived from the run's id, which no payload can know and so close.
    const fence = `data-${id.slice(-12)}`;
    const text = fillTemplate(webhook.template, { id: key, timestamp, payload }, { fence, maxLength: MAX_TURN_LENGTH });
    if (text === null)
      throw new ApiError("PAYLOAD_TOO_LARGE", `filled in, the template has more than ${MAX_TURN_LENGTH} characters`);
    const [run] = await insertRuns(host.db, [newWebhookRun(host, webhook, { id, key, message: text })]);
    if (run !== undefined) {
      inBackground("run of a webhook", executeRun(host, run));
      return { answer: { accepted: true, run_id: run.id }, isReplay: false };
    }
    const earlier = await findRunOfMessage(host.db, webhook.id, key);
    if (earlier === null) throw unsigned();
    return { answer: { accepted: true, run_id: earlier.id }, isReplay: true };
  }

  /** An unknown webhook takes the same time and gets the same response as a wrong signature. */
  async #authenticate(webhookId: string, message: SignedMessage): Promise<WebhookRow> {
    const { box, now } = this.#host;
    const webhook = await this.#webhooks.find(webhookId);
    const secrets = webhook === null ? [this.#placeholderSecret(webhookId)] : secretsOf(this.#host, webhook);
    // Two signatures are always computed, so that the time does not reveal an earlier secret.
    const padded = secrets.length === 1 ? [...secrets, WEBHOOK_SECRET_PREFIX + box.token("webhook")] : secrets;
    const isGenuine = isSigned(message, { secrets: padded, now: now() });
    if (webhook === null || !isGenuine) throw unsigned();
    return webhook;
  }

  #placeholderSecret(webhookId: string): string {
    return WEBHOOK_SECRET_PREFIX + this.#host.box.token("webhook", webhookId);
  }

  #count({ id, requests_per_minute: limit }: WebhookRow): void {
    const now = this.#host.now();
    const { admitted, window, resetS } = admit(this.#windows.get(id) ?? emptyWindow(now), limit, now);
    if (this.#windows.size >= MAX_WINDOWS) this.#windows.clear();
    this.#windows.set(id, window);
    if (!admitted)
      throw new ApiError("RATE_LIMITED", `${limit} messages a minute are used up`, { retryAfterS: resetS });
  }
}

const OUTCOMES: Readonly<Partial<Record<string, string>>> = {
  INVALID_SIGNATURE: "unsigned",
  RATE_LIMITED: "rate_limited",
};

const unsigned = (): ApiError =>
  new ApiError(
    "INVALID_SIGNATURE",
    "the webhook is unknown, or webhook-id, webhook-timestamp or webhook-signature is wrong",
  );

function secretsOf({ box, now }: Pick<HostContext, "box" | "now">, webhook: WebhookRow): string[] {
  const { secret, previous_secret: previous, previous_expires_at: expires } = webhook;
  const isValid = previous !== null && expires !== null && expires.getTime() > now();
  return [secret, ...(isValid ? [previous] : [])].map((sealed) => box.open(sealed));
}

function textOf(body: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    throw new InvalidInput("body", "expected text in UTF-8");
  }
  assertStorable(text, ["body"]);
  return text;
}
