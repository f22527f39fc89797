import {
  type EndpointPatch,
  type EndpointRequest,
  NOTIFICATION_LIMITS,
  type NotificationEndpoint,
} from "../../contract/orchestrator/notification.ts";
import { newWebhookSecret } from "../../contract/orchestrator/webhook-signature.ts";
import { newId } from "../../shared/ids.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { ApiError } from "../api-error.ts";
import type { HostContext } from "../host-context.ts";
import { literalUrlProblem } from "../../shared/outside-addresses.ts";
import { appendAudit } from "../store/audit-log.ts";
import type { Trx } from "../store/database.ts";
import {
  deleteEndpoint as deleteRow,
  insertEndpoint,
  replaceEndpointSecret,
  updateEndpoint,
} from "../store/notification-endpoints.ts";
import type { Product } from "../store/products.ts";
import { endpointNotFound, lookUpEndpoint } from "../status/look-up-endpoint.ts";

type Host = Pick<HostContext, "db" | "box" | "notified">;
type WithSecret = NotificationEndpoint & { readonly secret: string };

/** Creates an endpoint. Only this response contains its secret. */
export async function createEndpoint(host: Host, product: Product, request: EndpointRequest): Promise<WithSecret> {
  await assertUrl(product, request.url);
  const productId = product.record.id;
  const { secret = newWebhookSecret(), url, events } = request;
  const id = newId("nep");
  const row = { id, product_id: productId, url, events: [...new Set(events)], secret: host.box.seal(secret) };
  await host.db.transaction().execute(async (trx) => {
    if (!(await insertEndpoint(trx, row, NOTIFICATION_LIMITS.endpoints)))
      throw new ApiError("QUOTA_EXCEEDED", `the product has ${NOTIFICATION_LIMITS.endpoints} endpoints`);
    await record(trx, "notification_endpoint.created", { productId, detail: { endpoint_id: id, url, events } });
  });
  return { ...(await lookUpEndpoint(host, product, id)), secret };
}

export async function changeEndpoint(
  host: Host,
  product: Product,
  { id, patch }: { readonly id: string; readonly patch: EndpointPatch },
): Promise<NotificationEndpoint> {
  const { url, events, enabled } = patch;
  if (url !== undefined) await assertUrl(product, url);
  const set = {
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events: [...new Set(events)] }),
    ...(enabled !== undefined && { enabled, paused_reason: null }),
  };
  await change(host, product, {
    id,
    action: "notification_endpoint.changed",
    detail: patch,
    apply: (trx, key) => updateEndpoint(trx, key, set),
  });
  host.notified.ring();
  return lookUpEndpoint(host, product, id);
}

/** Replaces the secret. Messages are signed with both for `graceS` seconds. */
export async function rotateEndpointSecret(
  host: Host,
  product: Product,
  { id, graceS }: { readonly id: string; readonly graceS: number },
): Promise<WithSecret> {
  const secret = newWebhookSecret();
  await change(host, product, {
    id,
    action: "notification_endpoint.secret_rotated",
    detail: { grace_s: graceS },
    apply: (trx, key) => replaceEndpointSecret(trx, key, { secret: host.box.seal(secret), graceS }),
  });
  return { ...(await lookUpEndpoint(host, product, id)), secret };
}

export const deleteEndpoint = (host: Host, product: Product, id: string): Promise<void> =>
  change(host, product, { id, action: "notification_endpoint.deleted", detail: {}, apply: deleteRow });

interface Change {
  readonly id: string;
  readonly action: string;
  readonly detail: object;
  /** False when the product has no such endpoint. */
  readonly apply: (trx: Trx, key: { readonly productId: string; readonly id: string }) => Promise<boolean>;
}

async function change({ db }: Host, product: Product, { id, action, detail, apply }: Change): Promise<void> {
  const productId = product.record.id;
  await db.transaction().execute(async (trx) => {
    if (!(await apply(trx, { productId, id }))) throw endpointNotFound();
    await record(trx, action, { productId, detail: { endpoint_id: id, ...detail } });
  });
}

const record = (
  trx: Trx,
  action: string,
  { productId, detail }: { readonly productId: string; readonly detail: Readonly<Record<string, unknown>> },
): Promise<void> => appendAudit(trx, { action, product_id: productId, detail });

async function assertUrl({ record: { policy } }: Product, url: string): Promise<void> {
  const problem = await literalUrlProblem(url, policy.private_hosts);
  if (problem !== null) throw new InvalidInput("url", problem);
}
