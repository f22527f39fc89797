import * as z from "zod/mini";
import { byteLength, keptJson, opaqueId } from "../shared/parse.ts";
import { engineEnvProblems } from "./engine-env.ts";
import { POLICY_ACTIONS } from "./orchestrator-records.ts";

export * from "./orchestrator-records.ts";

/** What the orchestrator is asked: routes, and request bodies with how they are checked. */
export const userId = opaqueId(1, 256);
const SLUG = "expected 1 to 63 of a-z, 0-9 and single inner hyphens";
export const slug = z
  .string(SLUG)
  .check(z.refine((text) => /^[a-z0-9](-?[a-z0-9]){0,62}$/.test(text), { error: SLUG }));

const limit = z.nullable(z.int().check(z.gte(0)));
const seconds = z.int().check(z.gte(0), z.lte(86_400));

export const MEMORY_MB = { min: 64, max: 1_048_576 } as const;

/** Settings of an engine that a product may set for its own; `null` takes one back. */
const ENGINE_ENV_NAME =
  /^(LLM_[A-Z0-9_]{1,60}|PLANNER_MODEL|LIGHT_MODEL|EMBEDDING_MODEL|ENGINE_LOG_LEVEL|ENGINE_HITL_TTL_S|REACTIVE_COMPACT_ENABLED|CACHE_HIT_MONITOR_ENABLED)$/;
const engineEnv = z.record(
  z.string().check(
    z.refine((name) => ENGINE_ENV_NAME.test(name), {
      error:
        "expected a name of LLM_*, PLANNER_MODEL, LIGHT_MODEL, EMBEDDING_MODEL, ENGINE_LOG_LEVEL, ENGINE_HITL_TTL_S, REACTIVE_COMPACT_ENABLED, CACHE_HIT_MONITOR_ENABLED",
    }),
  ),
  z.nullable(z.string().check(z.maxLength(4096))),
);
/** Checked when it is set: a typo must not wait for the next start of an engine. */
const checkedEngineEnv = engineEnv.check(
  z.check(({ value, issues }) => {
    for (const { name, problem } of engineEnvProblems(value))
      issues.push({ code: "custom", path: [name], message: problem, input: value[name] });
  }),
);

/** Strict: a typo in a policy must not be an open door. Fields left out keep their value. */
export const policyPatch = z.strictObject({
  max_engines: z.optional(limit),
  requests_per_minute: z.optional(limit),
  allowed_actions: z.optional(z.array(z.enum(POLICY_ACTIONS))),
  suspended: z.optional(z.boolean()),
  idle_stop_s: z.optional(z.int().check(z.gte(0))),
  drain_s: z.optional(seconds),
  memory_mb: z.optional(z.int().check(z.gte(MEMORY_MB.min), z.lte(MEMORY_MB.max))),
  engine_env: z.optional(checkedEngineEnv),
});
export type PolicyPatch = z.output<typeof policyPatch>;

export const registerRequest = z.object({
  slug,
  name: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
  policy: z.optional(policyPatch),
});

const KEY_HASH = "expected SHA-256 as 64 lower-case hex digits";
export const platformKeyHashRequest = z.object({
  api_key_hash: z.string(KEY_HASH).check(z.regex(/^[0-9a-f]{64}$/, KEY_HASH)),
  key_prefix: z.optional(z.string().check(z.minLength(1), z.maxLength(10))),
  key_last4: z.optional(z.string().check(z.length(4))),
  grace_s: z.optional(z.int().check(z.gte(0), z.lte(30 * 86_400))),
});

export const provisionRequest = z.object({
  user_id: userId,
  metadata: z.optional(
    keptJson().check(
      z.refine((value) => byteLength(JSON.stringify(value)) <= 16_384, { error: "expected at most 16 KiB of JSON" }),
    ),
  ),
  start: z.optional(z.boolean()),
});
export type ProvisionRequest = z.output<typeof provisionRequest>;

export const startRequest = z.object({});
export const drainRequest = z.object({});
export const stopRequest = z.object({ drain_s: z.optional(seconds), force: z.optional(z.boolean()) });
export const rotateKeyRequest = z.object({ grace_s: z.optional(seconds) });

/** `local`: callers on the daemon's own host need no key, others the admin key. */
export type Authentication = "none" | "platform" | "admin" | "local";
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** `{name}` marks a parameter, percent-decoded once. */
  readonly path: string;
  readonly auth: Authentication;
  readonly summary: string;
  /** The largest body in bytes; left out, {@link SMALL_BODY_BYTES}. */
  readonly maxBodyBytes?: number;
}

/** Of calls that have a few fields or none. */
export const SMALL_BODY_BYTES = 4096;
/** 16 KiB of metadata, however its client escapes it; or a policy with its engine settings. */
const LARGE_BODY_BYTES = 64 * 1024;
/** Of all bodies: a value is a field, a list item, an object or a list. */
export const BODY_LIMITS = { maxValues: 4096, maxDepth: 64 } as const;

export const maxBodyBytes = (route: Route): number => route.maxBodyBytes ?? SMALL_BODY_BYTES;

/** Every route the orchestrator answers; another path is 404, another method on one of these paths 405. */
export const ORCHESTRATOR_ROUTES = {
  health: { method: "GET", path: "/health", auth: "none", summary: "Liveness, without a query" },
  ready: { method: "GET", path: "/ready", auth: "none", summary: "Whether calls are served now, and why not" },
  registerProduct: {
    method: "POST",
    path: "/products/register",
    auth: "admin",
    summary: "Register a product",
    maxBodyBytes: LARGE_BODY_BYTES,
  },
  listProducts: { method: "GET", path: "/products", auth: "admin", summary: "List products" },
  showProduct: { method: "GET", path: "/products/{product_id}", auth: "admin", summary: "One product, by id or slug" },
  deleteProduct: { method: "DELETE", path: "/products/{product_id}", auth: "admin", summary: "Delete a product" },
  setPolicy: {
    method: "PUT",
    path: "/products/{product_id}/policy",
    auth: "admin",
    summary: "Change a policy",
    maxBodyBytes: LARGE_BODY_BYTES,
  },
  setPlatformKeyHash: {
    method: "PUT",
    path: "/products/{product_id}/platform-key-hash",
    auth: "admin",
    summary: "Replace a platform key by its hash",
  },
  provisionEngine: {
    method: "POST",
    path: "/engines/provision",
    auth: "platform",
    summary: "Create an engine",
    maxBodyBytes: LARGE_BODY_BYTES,
  },
  admitEngine: {
    method: "POST",
    path: "/engines/admit",
    auth: "platform",
    summary: "Create or return an engine",
    maxBodyBytes: LARGE_BODY_BYTES,
  },
  listEngines: { method: "GET", path: "/engines", auth: "platform", summary: "List engines" },
  showEngine: { method: "GET", path: "/engines/{user_id}", auth: "platform", summary: "One engine" },
  destroyEngine: { method: "DELETE", path: "/engines/{user_id}", auth: "platform", summary: "Destroy an engine" },
  startEngine: { method: "POST", path: "/engines/{user_id}/start", auth: "platform", summary: "Start an engine" },
  stopEngine: { method: "POST", path: "/engines/{user_id}/stop", auth: "platform", summary: "Stop an engine" },
  rotateEngineKey: {
    method: "POST",
    path: "/engines/{user_id}/rotate-key",
    auth: "platform",
    summary: "Replace an engine's key",
  },
  waitForEngine: {
    method: "GET",
    path: "/engines/{user_id}/wait",
    auth: "platform",
    summary: "Wait until an engine reaches a state",
  },
  engineLogs: { method: "GET", path: "/engines/{user_id}/logs", auth: "platform", summary: "An engine's log lines" },
  engineEvents: {
    method: "GET",
    path: "/engines/{user_id}/events",
    auth: "platform",
    summary: "What happened to a user's engines; a live stream with `Accept: text/event-stream`",
  },
  events: { method: "GET", path: "/events", auth: "platform", summary: "The same of all of the product's engines" },
  adminEngines: { method: "GET", path: "/admin/engines", auth: "admin", summary: "Engines of every product" },
  adminEvents: { method: "GET", path: "/admin/events", auth: "admin", summary: "Events of every product and the host" },
  adminStatus: { method: "GET", path: "/admin/status", auth: "admin", summary: "The host: ports, engines, load" },
  adminAudit: { method: "GET", path: "/admin/audit", auth: "admin", summary: "The audit log, a hash chain" },
  drainHost: { method: "POST", path: "/admin/drain", auth: "admin", summary: "Take no new engines" },
  resumeHost: { method: "POST", path: "/admin/resume", auth: "admin", summary: "Take new engines again" },
  metrics: {
    method: "GET",
    path: "/metrics",
    auth: "local",
    summary: "Prometheus text; from this host, or with the admin key",
  },
} as const satisfies Record<string, Route>;
export type RouteName = keyof typeof ORCHESTRATOR_ROUTES;
