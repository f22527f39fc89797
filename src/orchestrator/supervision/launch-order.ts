import type { EngineKey } from "../../contract/engine/launch.ts";
import { caCertificate, interceptCa } from "../../contract/broker/intercept-ca.ts";
import { sealEngineKey } from "../../contract/broker/engine-key.ts";
import type { EngineProcess } from "../fleet/engine-backend.ts";
import { suspensionOf } from "../../contract/orchestrator/policy.ts";
import { openEngineEnv } from "../store/engine-env.ts";
import { layersOf, policyOfEngine } from "../store/planned-policy.ts";
import type { Product } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import type { HostContext } from "../host-context.ts";
import { sha256 } from "../../contract/orchestrator/api-keys.ts";
import { daemonKey } from "../status/daemon-key.ts";
import { backendPort } from "../rules/backend-port.ts";
import { engineBudgetsOf, hasBudgets } from "../rules/engine-budgets.ts";
import { engineProviders } from "../../contract/settings/upstreams.ts";
import { brokeredSettings } from "./brokered-settings.ts";
import { allowedText, allowedUseOf } from "./tell-allowed.ts";
import { modelRulesOf, rulesText } from "./follow-models.ts";
import { toolHookRulesOf } from "./follow-tool-hooks.ts";
import type { LiveEngine, SupervisedOrder } from "../fleet/live-engines.ts";

/** All input of one launch. Keys are hashes only, so that no plaintext key is stored. */
export function launchOrder(
  host: Pick<HostContext, "box" | "broker" | "settings" | "prices" | "now">,
  engine: EngineRow,
  product: Product,
): SupervisedOrder {
  const policy = policyOfEngine(product, layersOf(engine));
  const { budgets } = policy;
  const given = { ...host.settings.engineDefaults, ...openEngineEnv(host, product) };
  const upstreams = engineProviders(given);
  const known = { table: host.prices.table, providers: [...upstreams.keys()], now: host.now() };
  const { tool_network: network, tool_listen, cpu_weight, when_busy } = policy;
  const { max_processes, memory_mb, disk_mb, checkpoint_mb } = policy;
  const suspended = suspensionOf(policy);
  const models = modelRulesOf(policy);
  const allowed = allowedUseOf(policy);
  const hook = toolHookRulesOf(policy);
  const { attachment_mb: mb, attachment_count: count, attachment_kinds: kinds } = policy;
  const { task_ttl_days: taskTtl } = policy;
  return {
    launch: {
      engine_id: engine.id,
      incarnation: engine.incarnation,
      product: product.record.slug,
      user_id: engine.user_id,
      ...(Object.keys(engine.metadata).length > 0 && { metadata: { ...engine.metadata } }),
      port: backendPort(engine),
      keys: acceptedKeys(host, engine),
      control_token: controlToken(host, engine),
      settings: settingsFor(host, engine, given, upstreams),
      tool_network: typeof network === "string" ? network : [...network],
      tool_listen: [...tool_listen],
      limits: { max_processes, memory_mb, disk_mb, checkpoint_mb },
      // Its shares of the product's budgets follow when it runs.
      ...(hasBudgets(budgets) && { budgets: engineBudgetsOf(budgets, known) }),
      ...(suspended !== null && { suspended }),
      ...(rulesText(models) !== rulesText() && { models }),
      ...(allowedText(allowed) !== allowedText() && { allowed }),
      ...(hook !== null && { tool_hook: hook }),
      ...brokerFor(host, engine),
      ...interceptFor(host, engine, product),
      attachments: { mb, count, kinds: [...kinds] },
      ...(product.knowledge.digest !== null && { product_knowledge: { ...product.knowledge } }),
      ...(taskTtl !== null && { task_ttl_days: taskTtl }),
      when_busy,
      ...(host.settings.tracing !== null && { tracing: { ...host.settings.tracing } }),
    },
    upstreams,
    owner: { product_id: engine.product_id, user_id: engine.user_id },
    catalog: { productId: product.record.id, ...product.catalog },
    uid: engine.uid,
    memoryMb: memory_mb,
    cpuWeight: cpu_weight,
  };
}

/** Without the keys of providers, where the engine calls a broker. */
function settingsFor(
  { broker }: Pick<HostContext, "broker">,
  { id, incarnation }: EngineRow,
  given: Readonly<Record<string, string>>,
  upstreams: SupervisedOrder["upstreams"],
): Record<string, string> {
  if (broker === null) return { ...given };
  return brokeredSettings(given, upstreams, { engine: { engine: id, incarnation }, access: () => broker.access() });
}

/**
 * The broker, for secrets of tools, identity tokens and logins, and for what goes outside. Without a public URL the latter two have no issuer, and no
 * address to come back to. Secrets start it when the first one is set.
 */
function brokerFor(
  { broker, settings }: Pick<HostContext, "broker" | "settings">,
  { id, incarnation }: EngineRow,
): Pick<SupervisedOrder["launch"], "broker"> {
  if (broker === null) return {};
  const { publicUrl, isBrokerEgress } = settings;
  const { url, sealingKey } = publicUrl === null && !isBrokerEgress ? broker.reach : broker.access();
  const key = sealEngineKey(sealingKey, { engine: id, incarnation });
  return {
    broker: {
      url,
      key,
      ...(publicUrl === null && { no_public_url: true as const }),
      ...(isBrokerEgress && { egress: true as const }),
    },
  };
}

/** The authority that the engine's tools trust, where the policy lets the broker end their TLS. */
function interceptFor(
  { broker, now }: Pick<HostContext, "broker" | "now">,
  { id, incarnation }: EngineRow,
  product: Product,
): Pick<SupervisedOrder["launch"], "intercept_ca"> {
  if (broker === null || !product.record.policy.intercept) return {};
  const ca = interceptCa(broker.reach.sealingKey, { engine: id, incarnation });
  return { intercept_ca: caCertificate(ca, now()) };
}

/** The token for an engine's control API. It is derived, so that a later daemon can compute it. */
export const controlToken = (host: Pick<HostContext, "box">, engine: Pick<EngineRow, "id" | "incarnation">): string =>
  host.box.token("control", engine.id, engine.incarnation);

/** The hashes of the keys that the engine accepts: as stored, and the daemon's own. */
export function acceptedKeys(
  host: Pick<HostContext, "box">,
  engine: Pick<EngineRow, "id" | "key_hash" | "previous_key_hash" | "previous_key_expires_at">,
): EngineKey[] {
  const { previous_key_hash: hash, previous_key_expires_at: expires } = engine;
  const previous = hash === null || expires === null ? [] : [{ hash, expires_at: expires.toISOString() }];
  const own = { hash: sha256(daemonKey(host, engine.id)), expires_at: null };
  return [{ hash: engine.key_hash, expires_at: null }, ...previous, own];
}

/** The in-memory state of an engine whose process answers. */
export function liveEngine(
  host: Pick<HostContext, "now">,
  row: EngineRow,
  {
    process,
    order,
    healthySince,
    isAdopted = false,
  }: {
    readonly process: EngineProcess;
    readonly order: SupervisedOrder;
    readonly healthySince: number;
    /** An earlier daemon has launched it, perhaps with another order. */
    readonly isAdopted?: boolean;
  },
): LiveEngine {
  const version = order.catalog?.version ?? 0;
  const { budgets } = order.launch;
  const launched = budgets === undefined ? null : JSON.stringify(budgets);
  return {
    id: row.id,
    productId: row.product_id,
    incarnation: row.incarnation,
    url: process.address,
    controlToken: order.launch.control_token,
    process,
    layers: layersOf(row),
    isBudgetDue: false,
    order,
    restarts: { count: row.restart_count, windowStartedAt: row.restart_window_started_at?.getTime() ?? null },
    isStopping: false,
    stopCause: null,
    supervisedAt: performance.now(),
    healthySince,
    lastOkAt: host.now(),
    consecutiveFailures: 0,
    fallingAsleep: null,
    probing: null,
    report: null,
    activeTurns: null,
    diskBytes: null,
    catalog: { version: isAdopted ? null : version, error: null, tried: { version, at: performance.now() } },
    knowledge: {
      version: isAdopted || order.launch.product_knowledge !== undefined ? null : 0,
      digest: order.launch.product_knowledge?.digest ?? null,
      tried: { version: null, digest: null, at: performance.now() },
    },
    usage: null,
    lastActiveAt: null,
    lastActiveStored: row.last_active_at?.getTime() ?? 0,
    usageCursor: undefined,
    noticesRead: 0,
    questionsRead: null,
    budgetsSent: isAdopted ? undefined : launched,
    isRetryingSuspension: false,
    suspensionSent: isAdopted ? undefined : (order.launch.suspended ?? null),
    modelsSent: isAdopted ? undefined : rulesText(order.launch.models),
    allowedSent: isAdopted ? undefined : allowedText(order.launch.allowed),
    cooldownsSent: new Map(),
    hook: {
      sent: isAdopted ? undefined : JSON.stringify(order.launch.tool_hook ?? null),
      isFollowed: false,
      isUnsupported: false,
      read: null,
    },
    modelFailedAt: null,
    waitsForBudget: false,
    reclaimedAt: -Infinity,
    noticed: new Set(),
    counted: null,
  };
}
