import type { Forgotten } from "../../contract/broker/forget.ts";
import type { ProductRecord, Policy, PolicyPatch } from "../../contract/orchestrator/requests.ts";
import type { EventType } from "../../contract/orchestrator/event-types.ts";
import { appendAudit } from "../store/audit-log.ts";
import type { Trx } from "../store/database.ts";
import { notifyForgotten } from "../store/forgotten-answers.ts";
import { type Product, lockProduct, updatePolicy, findProduct } from "../store/products.ts";
import { productNotFound, productRecord } from "../status/look-up-product.ts";
import type { HostContext } from "../host-context.ts";
import { changeEngineEnv } from "../store/engine-env.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { modelsSettled } from "../supervision/follow-models.ts";
import { budgetsSettled } from "../supervision/follow-budgets.ts";
import { type HookHost, toolHookSettled } from "../supervision/follow-tool-hooks.ts";
import { suspensionSettled } from "../supervision/follow-suspensions.ts";
import { outsideUrlProblem } from "../../shared/outside-addresses.ts";
import { giveToolHookSecret } from "../store/tool-hook-secrets.ts";
import { refuseSharedIssuer } from "./refuse-shared-issuer.ts";
import { replaceProductKey } from "../store/product-keys.ts";

interface ProductChange {
  readonly type: Extract<EventType, `product.${string}`>;
  /** The changed fields for the audit log and the event, without secrets. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** The policy is part of what brokers were answered, and they do not know whose engines are of which product. */
const FORGOTTEN: Forgotten = { keys: true, secrets: true, connections: true };
/** What running engines are told by `followModels`. */
const SETTLED = ["allowed_models", "fallback", "allowed_agents", "allowed_tools"] as const;
const ANSWERED = ["budgets", "tool_network", "private_hosts"] as const;

/** Merges a patch into a product's policy, effective from the product's next call. Tested in test/cli/products.test.ts. */
export async function setPolicy(
  host: HookHost & Pick<HostContext, "db" | "events" | "settings" | "cooldowns" | "broker">,
  idOrSlug: string,
  patch: PolicyPatch,
): Promise<ProductRecord> {
  assertToolPorts(host, patch);
  const isAnswered = ANSWERED.some((field) => patch[field] !== undefined);
  const changed = await changeProduct(host, idOrSlug, {
    type: "product.policy_changed",
    detail: describePatch(patch),
    change: async (trx, product) => {
      const env = changeEngineEnv(host, product, patch.engine_env);
      const policy = patchedPolicy(product.record.policy, patch);
      assertEndUsersUrl(policy);
      assertToolHookUrl(policy);
      await refuseSharedIssuer("end_users", () => updatePolicy(trx, product.record.id, { policy, ...env }));
      if (policy.tool_hook !== null) await giveToolHookSecret(host, trx, product.record.id);
      if (isAnswered) await notifyForgotten(trx, FORGOTTEN);
      return lockProduct(trx, product.record.id);
    },
  });
  if (isAnswered) await host.broker?.forget(FORGOTTEN);
  if (patch.budgets !== undefined) await budgetsSettled(host);
  if (patch.suspended !== undefined || patch.suspend !== undefined) await suspensionSettled(host, changed.id);
  if (SETTLED.some((field) => patch[field] !== undefined)) await modelsSettled(host, changed.id);
  if (patch.tool_hook !== undefined) await toolHookSettled(host, changed.id);
  return changed;
}

/**
 * Rotates a platform key. The daemon receives only the hash of the new key. The old key stays valid for `graceS` seconds.
 * Tested in test/end-to-end/orchestrator-errors.test.ts and test/cli/products.test.ts.
 */
export function replacePlatformKey(
  host: Pick<HostContext, "db" | "events" | "directory" | "box">,
  idOrSlug: string,
  key: {
    readonly hash: string;
    readonly prefix: string | null;
    readonly last4: string | null;
    readonly graceS: number;
  },
): Promise<ProductRecord> {
  return changeProduct(host, idOrSlug, {
    type: "product.key_rotated",
    detail: { prefix: key.prefix, last4: key.last4, grace_s: key.graceS },
    change: async (trx, product) => {
      if (!(await replaceProductKey(trx, product.record.id, key))) {
        throw new InvalidInput("api_key_hash", "another product has a key with this hash");
      }
      return findProduct(trx, product.record.id);
    },
  });
}

/** Changes one product under its row lock. The product cache is invalidated before the response. */
export async function changeProduct(
  host: Pick<HostContext, "db" | "events" | "directory" | "box">,
  idOrSlug: string,
  { change, ...what }: ProductChange & { readonly change: (trx: Trx, product: Product) => Promise<Product | null> },
): Promise<ProductRecord> {
  const changed = await host.db.transaction().execute(async (trx) => {
    const product = await lockProduct(trx, idOrSlug);
    const after = product === null ? null : await change(trx, product);
    if (after !== null) await recordProductChange(host, trx, { productId: after.record.id, ...what });
    return after;
  });
  host.directory.changed();
  return productRecord(host, changed ?? productNotFound(idOrSlug));
}

/** Writes the audit line and the event of a change. They must be the last statements of the transaction. */
export async function recordProductChange(
  host: Pick<HostContext, "events">,
  trx: Trx,
  { productId, type, detail }: ProductChange & { readonly productId: string },
): Promise<void> {
  await appendAudit(trx, { action: type, product_id: productId, detail });
  await host.events.insert(trx, { type, productId, reason: "request", data: detail });
}

/** A tool on a port of an engine would keep that engine from starting, or reach it past the proxy. */
export function assertToolPorts(
  { settings: { portRange } }: Pick<HostContext, "settings">,
  { tool_listen: ports = [] }: PolicyPatch,
  prefix = "",
): void {
  const { min, max } = portRange;
  const at = ports.findIndex((port) => port >= min && port <= max);
  if (at !== -1)
    throw new InvalidInput(`${prefix}tool_listen.${at}`, `expected a port outside ${min} to ${max}, which engines use`);
}

/** By the policy that results, for the address may need its `private_hosts`. */
export function assertEndUsersUrl({ end_users: users, private_hosts: hosts }: Policy, prefix = ""): void {
  const problem = users?.jwks_url === undefined ? null : outsideUrlProblem(users.jwks_url, hosts);
  if (problem !== null) throw new InvalidInput(`${prefix}end_users.jwks_url`, problem);
}

/** As {@link assertEndUsersUrl}. */
export function assertToolHookUrl({ tool_hook: hook, private_hosts: hosts }: Policy, prefix = ""): void {
  const problem = hook === null ? null : outsideUrlProblem(hook.url, hosts);
  if (problem !== null) throw new InvalidInput(`${prefix}tool_hook.url`, problem);
}

/** The fields that a patch sets, for the audit log. Of `engine_env`, which holds secrets, only the names. */
export function describePatch({ engine_env: env, ...fields }: PolicyPatch): Record<string, unknown> {
  return env === undefined ? fields : { ...fields, engine_env_names: Object.keys(env) };
}

/** The policy with the fields of the patch. `engine_env` is stored sealed in its own column. */
export function patchedPolicy(policy: Policy, { engine_env: _, ...fields }: PolicyPatch): Policy {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { ...policy, ...(Object.fromEntries(given) as Partial<Policy>) };
}
