import * as z from "zod/mini";
import { parse } from "../shared/parse.ts";
import { engineBudgets } from "./engine-budgets.ts";
import { ATTACHMENT_KINDS, type AttachmentLimits } from "./attachment-records.ts";
import { NOT_ISOLATED } from "./launch-file.ts";
import type { ToolNetworkPolicy } from "./orchestrator-records.ts";

/** An accepted engine key, as a hash. */
export const engineKey = z.object({
  /** SHA-256, lower-case hex. */
  hash: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  /** ISO time after which the key is refused, or `null` for the current key. */
  expires_at: z.nullable(z.string()),
});
export type EngineKey = z.output<typeof engineKey>;

/** A version of a product's catalog. `digest` names its folder, and is null for the version without a file. */
export const catalogVersion = {
  version: z.int().check(z.gte(0)),
  digest: z.nullable(z.string().check(z.regex(/^[0-9a-f]{64}$/))),
};

/** `folder` has a folder for each version in use. The engine may read all of it. */
const productCatalog = z.object({ folder: z.string(), ...catalogVersion });
export type ProductCatalog = z.output<typeof productCatalog>;

const isolation = z.object({ engine: z.boolean(), tools: z.boolean(), read: z.readonly(z.array(z.string())) });

/** The settings of tracing: `OTEL_EXPORTER_OTLP_ENDPOINT` and the other `OTEL_*` variables. */
const tracingSettings = z.object({
  endpoint: z.string(),
  /** May contain a key. */
  headers: z.record(z.string(), z.string()),
  /** The sampling ratio of traces that start here, 0 to 1. */
  sampleRatio: z.number(),
});

/**
 * The launch file: JSON, mode 0400, whose path is in `ORCH_LAUNCH_FILE`. The engine reads it once at start, and the
 * daemon removes it afterwards. Only this file carries secrets: argv and the environment have none.
 */
const engineLaunch = z.object({
  engine_id: z.string(),
  /** A new UUID for each start. `/health` returns it, so that another program on the port does not count as the engine. */
  incarnation: z.string(),
  /** The product's slug. */
  product: z.string(),
  user_id: z.string(),
  host: z.string(),
  port: z.int(),
  /** The descriptor of a socket that listens on `host` and `port` already. Omitted: the engine makes its own. */
  listen_fd: z.optional(z.int()),
  /** The engine's folder with store, workspace and catalog. It is kept between starts. */
  data_dir: z.string(),
  /** Omitted by daemons of earlier releases. */
  product_catalog: z.optional(productCatalog),
  keys: z.array(engineKey),
  /** Presented by the daemon as `X-Control-Token` on `/control/*`. */
  control_token: z.string(),
  /** `LLM_*`, `PLANNER_MODEL` and so on, as strings of an environment. */
  settings: z.record(z.string(), z.string()),
  /** The path of a PEM bundle that connections to the provider trust in addition to the built-in one. */
  extra_ca_certs: z.nullable(z.string()),
  /** The policy's `tool_network`: what tools may connect to. */
  tool_network: z.union([z.enum(["open", "none"]), z.array(z.string())]) satisfies z.ZodMiniType<ToolNetworkPolicy>,
  /** The policy's `tool_listen`: ports on loopback that tools may listen on and connect to. */
  tool_listen: z.array(z.int()),
  /** The policy's limits for the engine and its tools together. */
  limits: z.object({ max_processes: z.int(), memory_mb: z.int(), disk_mb: z.int() }),
  /** The policy's limits for attachments. Omitted: those of the default policy. */
  attachments: z.optional(
    z.object({
      mb: z.int(),
      count: z.int(),
      kinds: z.array(z.enum(ATTACHMENT_KINDS)),
    }) satisfies z.ZodMiniType<AttachmentLimits>,
  ),
  /** The parent cgroups of its tools' cgroups, one in each hierarchy. Empty: the engine watches its tools itself. */
  tool_cgroups: z.optional(z.array(z.string())),
  /** The limit of processes and threads of the engine's user. Omitted if a cgroup limits them, or the user is shared. */
  user_tasks: z.optional(z.int()),
  /** Omitted: no tracing. */
  tracing: z.optional(tracingSettings),
  /** Omitted: none. */
  budgets: z.optional(engineBudgets),
  isolation: z._default(isolation, NOT_ISOLATED),
});
export type EngineLaunch = z.output<typeof engineLaunch>;

export const encodeLaunch = (launch: EngineLaunch): string => JSON.stringify(launch);

/** Throws `InvalidInput` (or a `SyntaxError`) for a file that is not one of ours. */
export const decodeLaunch = (text: string): EngineLaunch => parse(engineLaunch, JSON.parse(text)).value;
