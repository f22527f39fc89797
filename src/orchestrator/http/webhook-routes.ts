import { webhookPatch, webhookRequest, webhookSecretRequest } from "../../contract/orchestrator/schedule-requests.ts";
import { IDEMPOTENT_REPLAYED_HEADER } from "../../contract/orchestrator/headers.ts";
import { WEBHOOK_HEADERS } from "../../contract/orchestrator/webhook-signature.ts";
import { changeWebhook, createWebhook, deleteWebhook, rotateWebhookSecret } from "../operations/change-webhook.ts";
import { WebhookReceiver } from "../operations/receive-webhook.ts";
import type { EngineHost } from "../host-context.ts";
import { lookUpWebhook, pageOfRuns, pageOfWebhooks } from "../status/look-up-schedule.ts";
import { type Call, type Handler, pageOf, pageParameters } from "./call.ts";
import { userParameter } from "./engine-routes.ts";

const webhookId = (call: Call): string => call.params["webhook_id"] ?? "";
const addressOf = (call: Call) => ({ userId: userParameter(call), id: webhookId(call) });

export function webhookRoutes(host: EngineHost) {
  const receiver = new WebhookReceiver(host);
  return {
    createWebhook: async (call) => {
      const options = { userId: userParameter(call), request: call.body(webhookRequest) };
      return { status: 201, body: await createWebhook(host, call.product, options), secret: true };
    },
    listWebhooks: (call) => {
      const page = { userId: userParameter(call), ...pageParameters(call, "whk") };
      return call.list(async () => pageOf(await pageOfWebhooks(host, call.product, page), page.limit));
    },
    showWebhook: async (call) => ({ status: 200, body: await lookUpWebhook(host, call.product, addressOf(call)) }),
    changeWebhook: async (call) => {
      const options = { address: addressOf(call), patch: call.body(webhookPatch) };
      return { status: 200, body: await changeWebhook(host, call.product, options) };
    },
    deleteWebhook: async (call) => {
      await deleteWebhook(host, call.product, addressOf(call));
      return { status: 200, body: { deleted: true } };
    },
    rotateWebhookSecret: async (call) => {
      const { grace_s: graceS = 0 } = call.body(webhookSecretRequest);
      const body = await rotateWebhookSecret(host, call.product, { address: addressOf(call), graceS });
      return { status: 200, body, secret: true };
    },
    listWebhookRuns: (call) => {
      const { userId, id } = addressOf(call);
      const page = { userId, owner: { column: "webhook_id", id } as const, ...pageParameters(call, "run") };
      return call.list(async () => pageOf(await pageOfRuns(host, call.product, page), page.limit));
    },
    receiveWebhook: async (call) => {
      const { id, timestamp, signature } = WEBHOOK_HEADERS;
      const header = (name: string) => String(call.headers[name] ?? "");
      const message = {
        id: header(id),
        timestamp: header(timestamp),
        signature: header(signature),
        body: call.bytes,
      };
      const { answer, isReplay } = await receiver.receive(webhookId(call), message);
      if (isReplay) call.response.set(IDEMPOTENT_REPLAYED_HEADER, "true");
      return { status: 202, body: answer };
    },
  } satisfies Record<string, Handler>;
}
