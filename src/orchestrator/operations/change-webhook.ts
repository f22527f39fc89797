import type { WebhookRecord } from "../../contract/orchestrator/schedule.ts";
import type { WebhookPatch, WebhookRequest } from "../../contract/orchestrator/schedule-requests.ts";
import { newWebhookSecret } from "../../contract/orchestrator/webhook-signature.ts";
import { newId } from "../../shared/ids.ts";
import type { HostContext } from "../host-context.ts";
import type { Trx } from "../store/database.ts";
import type { Product } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import {
  deleteWebhook as deleteRow,
  findWebhook,
  insertWebhook,
  replaceWebhookSecret,
  updateWebhook,
} from "../store/webhooks.ts";
import { getEngineRow } from "../status/look-up-engine.ts";
import { lookUpWebhook, webhookNotFound } from "../status/look-up-schedule.ts";
import { assertNotSuspended } from "./assert-admission.ts";
import { assertRunModel } from "./assert-run-model.ts";
import { assertScheduleQuota, refuseTakenName } from "./assert-schedule.ts";
import type { ScheduleAddress } from "./change-schedule.ts";
import { recordScheduleChange } from "./record-schedule-change.ts";

type Host = Pick<HostContext, "db" | "events" | "box" | "now" | "settings">;
type WithSecret = WebhookRecord & { readonly secret: string };

const REQUESTS_PER_MINUTE = 60;

/** Creates a webhook. Only this response contains its secret. Tested in test/end-to-end/webhooks.test.ts. */
export async function createWebhook(
  host: Host,
  product: Product,
  { userId, request }: { readonly userId: string; readonly request: WebhookRequest },
): Promise<WithSecret> {
  assertNotSuspended(product);
  const engine = await getEngineRow(host, product, userId);
  assertRunModel(host, { product, engine }, request.model);
  const [id, secret] = [newId("whk"), newWebhookSecret()];
  await refuseTakenName("webhook", () =>
    host.db.transaction().execute(async (trx) => {
      await assertScheduleQuota(trx, product, engine);
      await insertWebhook(trx, {
        id,
        engine_id: engine.id,
        product_id: engine.product_id,
        host_id: engine.host_id,
        name: request.name,
        enabled: request.enabled ?? true,
        template: request.template,
        task_id: request.task_id ?? null,
        agent: request.agent ?? null,
        model: request.model ?? null,
        effort: request.effort ?? null,
        requests_per_minute: request.requests_per_minute ?? REQUESTS_PER_MINUTE,
        secret: host.box.seal(secret),
        previous_secret: null,
        previous_expires_at: null,
      });
      await recordScheduleChange(host, trx, { type: "schedule.created", engine, detail: { webhook_id: id } });
    }),
  );
  return { ...(await lookUpWebhook(host, product, { userId, id })), secret };
}

/** Changes a webhook, except its secret. */
export async function changeWebhook(
  host: Host,
  product: Product,
  { address, patch }: { readonly address: ScheduleAddress; readonly patch: WebhookPatch },
): Promise<WebhookRecord> {
  assertNotSuspended(product);
  if (patch.model !== undefined)
    assertRunModel(host, { product, engine: await getEngineRow(host, product, address.userId) }, patch.model);
  await refuseTakenName("webhook", () =>
    changeRow(host, product, address, {
      fields: Object.keys(patch),
      change: (trx) => updateWebhook(trx, address.id, patch),
    }),
  );
  return lookUpWebhook(host, product, address);
}

/** Replaces the secret. The previous one stays valid for `graceS` seconds. */
export async function rotateWebhookSecret(
  host: Host,
  product: Product,
  { address, graceS }: { readonly address: ScheduleAddress; readonly graceS: number },
): Promise<WithSecret> {
  assertNotSuspended(product);
  const secret = newWebhookSecret();
  const replacement = { secret: host.box.seal(secret), previousExpiresAt: new Date(host.now() + graceS * 1000) };
  await changeRow(host, product, address, {
    fields: ["secret"],
    change: (trx) => replaceWebhookSecret(trx, address.id, replacement),
  });
  return { ...(await lookUpWebhook(host, product, address)), secret };
}

/** Deletes a webhook with its runs. A running turn continues. */
export async function deleteWebhook(host: Host, product: Product, { userId, id }: ScheduleAddress): Promise<void> {
  const engine = await getWebhookEngine(host, product, { userId, id });
  await host.db.transaction().execute(async (trx) => {
    await deleteRow(trx, id);
    await recordScheduleChange(host, trx, { type: "schedule.deleted", engine, detail: { webhook_id: id } });
  });
}

async function changeRow(
  host: Host,
  product: Product,
  address: ScheduleAddress,
  { fields, change }: { readonly fields: readonly string[]; readonly change: (trx: Trx) => Promise<unknown> },
): Promise<void> {
  const engine = await getWebhookEngine(host, product, address);
  await host.db.transaction().execute(async (trx) => {
    if ((await change(trx)) === null) webhookNotFound();
    const detail = { webhook_id: address.id, fields };
    await recordScheduleChange(host, trx, { type: "schedule.changed", engine, detail });
  });
}

async function getWebhookEngine(host: Host, product: Product, { userId, id }: ScheduleAddress): Promise<EngineRow> {
  const engine = await getEngineRow(host, product, userId);
  if ((await findWebhook(host.db, engine.id, id)) === null) webhookNotFound();
  return engine;
}
