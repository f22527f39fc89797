import * as z from "zod/mini";
import { byteLength, characters, integer, keptJson, opaqueId } from "../shared/parse.ts";
import { budgetsPatch } from "./budgets-patch.ts";
import { ATTACHMENT_KINDS, MAX_ATTACHMENTS } from "./attachment-records.ts";
import { engineEnvProblems } from "./engine-env.ts";
import { formatHostPattern, readHostPattern } from "./host-pattern.ts";
import { isProductSetting, productSettingNames } from "./settings.ts";
import { POLICY_ACTIONS } from "./orchestrator-records.ts";

export * from "./orchestrator-records.ts";

/** Request bodies of the orchestrator and their validation. Its routes are in `orchestrator-routes.ts`. */
export const userId = opaqueId(1, 256);
const SLUG = "expected 1 to 63 of a-z, 0-9 and single inner hyphens";
const slug = z.string(SLUG).check(z.refine((text) => /^[a-z0-9](-?[a-z0-9]){0,62}$/.test(text), { error: SLUG }));

const limit = z.nullable(integer(0));
const seconds = integer(0, 86_400);

/** Limits of an engine, inclusive. */
export const ENGINE_LIMITS = {
  memory_mb: { min: 64, max: 1_048_576 },
  max_processes: { min: 1, max: 32_768 },
  disk_mb: { min: 16, max: 1_048_576 },
  cpu_weight: { min: 1, max: 10_000 },
} as const;
const engineLimit = (name: keyof typeof ENGINE_LIMITS) => integer(ENGINE_LIMITS[name].min, ENGINE_LIMITS[name].max);

const hostPattern = z.string().check(
  z.check(({ value, issues }) => {
    const { problem } = readHostPattern(value);
    if (problem !== null) issues.push({ code: "custom", message: problem, input: value, continue: true });
  }),
  z.overwrite((text) => {
    const { pattern } = readHostPattern(text);
    return pattern === null ? text : formatHostPattern(pattern);
  }),
);
export const TOOL_NETWORK_HOSTS = { min: 1, max: 256 } as const;
const toolNetwork = z.union(
  [
    z.enum(["open", "none"]),
    z.array(hostPattern).check(z.minLength(TOOL_NETWORK_HOSTS.min), z.maxLength(TOOL_NETWORK_HOSTS.max)),
  ],
  `expected "open", "none" or a list of ${TOOL_NETWORK_HOSTS.min} to ${TOOL_NETWORK_HOSTS.max} hosts`,
);

/** Privileged ports are the host's. */
export const TOOL_LISTEN = { minPort: 1024, maxPort: 65_535, maxPorts: 16 } as const;
const toolListen = z.array(integer(TOOL_LISTEN.minPort, TOOL_LISTEN.maxPort)).check(z.maxLength(TOOL_LISTEN.maxPorts));

/** A product's settings for its engines. `null` removes one. */
const engineEnv = z.record(
  z.string().check(z.refine(isProductSetting, { error: `expected a name of ${productSettingNames()}` })),
  z.nullable(z.string().check(z.maxLength(4096))),
);
/** Checked when it is set, so that a typo does not fail the next start of an engine. */
const checkedEngineEnv = engineEnv.check(
  z.check(({ value, issues }) => {
    for (const { name, problem } of engineEnvProblems(value))
      issues.push({ code: "custom", path: [name], message: problem, input: value[name] });
  }),
);

/** Strict: a typo in a policy must not be ignored. Missing fields keep their value. */
export const policyPatch = z.strictObject({
  max_engines: z.optional(limit),
  requests_per_minute: z.optional(limit),
  allowed_actions: z.optional(z.array(z.enum(POLICY_ACTIONS))),
  suspended: z.optional(z.boolean()),
  idle_stop_s: z.optional(integer(0)),
  drain_s: z.optional(seconds),
  memory_mb: z.optional(engineLimit("memory_mb")),
  max_processes: z.optional(engineLimit("max_processes")),
  disk_mb: z.optional(engineLimit("disk_mb")),
  cpu_weight: z.optional(engineLimit("cpu_weight")),
  tool_network: z.optional(toolNetwork),
  tool_listen: z.optional(toolListen),
  budgets: z.optional(budgetsPatch),
  attachment_mb: z.optional(integer(0, MAX_ATTACHMENTS.mb)),
  attachment_count: z.optional(integer(0, MAX_ATTACHMENTS.count)),
  attachment_kinds: z.optional(z.array(z.enum(ATTACHMENT_KINDS))),
  max_schedules: z.optional(integer(0, 10_000)),
  min_schedule_interval_s: z.optional(integer(1, 86_400)),
  schedules_paused: z.optional(z.boolean()),
  engine_env: z.optional(checkedEngineEnv),
});
export type PolicyPatch = z.output<typeof policyPatch>;

const KEY_HASH = "expected SHA-256 as 64 lower-case hex digits";
const keyHash = z.string(KEY_HASH).check(z.regex(/^[0-9a-f]{64}$/, KEY_HASH));
/** The parts of a key that identify it to people. */
const keyHints = { key_prefix: z.optional(characters(1, 10)), key_last4: z.optional(z.string().check(z.length(4))) };

export const registerRequest = z
  .object({
    slug,
    name: z.optional(characters(1, 200)),
    policy: z.optional(policyPatch),
    api_key_hash: z.optional(keyHash),
    ...keyHints,
  })
  .check(
    z.refine(
      ({ api_key_hash: hash, key_prefix: prefix, key_last4: last4 }) =>
        hash !== undefined || (prefix === undefined && last4 === undefined),
      { path: ["api_key_hash"], error: "required with key_prefix and key_last4" },
    ),
  );

export const platformKeyHashRequest = z.object({
  api_key_hash: keyHash,
  ...keyHints,
  grace_s: z.optional(integer(0, 30 * 86_400)),
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
export const sleepRequest = z.object({});
export const stopRequest = z.object({ drain_s: z.optional(seconds), force: z.optional(z.boolean()) });
export const restartRequest = z.object({ drain_s: z.optional(seconds) });
export const rotateKeyRequest = z.object({ grace_s: z.optional(seconds) });

/** Limits of every JSON body. Fields, list items, objects and lists count as values. */
export const BODY_LIMITS = { maxValues: 4096, maxDepth: 64 } as const;
