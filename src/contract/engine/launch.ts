import * as z from "zod/mini";
import { parse } from "../../shared/parse.ts";
import { ATTACHMENT_KINDS } from "./attachment-limits.ts";
import { engineBudgets } from "./budgets.ts";
import { WHEN_BUSY } from "./when-busy.ts";
import { allowedUse } from "./allowed-use.ts";
import { modelRules } from "./models.ts";
import { toolHookRules } from "./tool-hook.ts";
import { NOT_ISOLATED } from "./launch-file.ts";
import { SUSPENSIONS } from "../orchestrator/policy.ts";
import { type RecordOf, field, nullable, record } from "../record.ts";

const DIGEST = /^[0-9a-f]{64}$/;

export const engineKey = record("EngineKey", "An accepted engine key, as a hash.", {
  hash: field(z.string().check(z.regex(DIGEST)), "SHA-256, lower-case hex."),
  expires_at: nullable(z.string(), "ISO time after which the key is refused, or `null` for the current key."),
});
export type EngineKey = RecordOf<typeof engineKey>;

/** A version of a product's catalog. */
export const catalogVersion = {
  version: z.int().check(z.gte(0)),
  digest: nullable(
    z.string().check(z.regex(DIGEST)),
    "Names the version's folder. `null` for the version without a file.",
  ),
};

const productCatalog = z.object({
  folder: field(z.string(), "Has a folder for each version in use. The engine may read all of it."),
  ...catalogVersion,
});
export type ProductCatalog = RecordOf<typeof productCatalog>;

export const knowledgeVersion = z.object({
  version: catalogVersion.version,
  digest: nullable(z.string().check(z.regex(DIGEST)), "Names the version's folder. `null` without a document."),
});
export type KnowledgeVersion = RecordOf<typeof knowledgeVersion>;

const isolation = z.object({
  engine: z.boolean(),
  tools: z.boolean(),
  sockets: z._default(z.boolean(), false),
  required: z._default(z.boolean(), false),
  read: z.readonly(z.array(z.string())),
});

/** The settings of tracing: `OTEL_EXPORTER_OTLP_ENDPOINT` and the other `OTEL_*` variables. */
const tracingSettings = z.object({
  endpoint: z.string(),
  headers: field(z.record(z.string(), z.string()), "May contain a key."),
  sampleRatio: field(z.number(), "The sampling ratio of traces that start here, 0 to 1."),
});

const attachmentLimits = z.object({ mb: z.int(), count: z.int(), kinds: z.array(z.enum(ATTACHMENT_KINDS)) });

const brokerOfEngine = z.object({
  url: z.string(),
  key: field(z.string(), "With which this start of the engine asks the broker."),
  egress: field(
    z.optional(z.literal(true)),
    "Set where the broker is the only way out: for tools, and for the engine's own requests for them.",
  ),
  no_public_url: field(z.optional(z.literal(true)), "Set where the host has none: no identity tokens and no logins."),
});

/**
 * The launch file: JSON, mode 0400, whose path is in `ORCH_LAUNCH_FILE`. The engine reads it once at start, and the
 * daemon removes it afterwards. Only this file carries secrets: argv and the environment have none.
 */
const engineLaunch = z.object({
  engine_id: z.string(),
  incarnation: field(
    z.string(),
    "A new UUID for each start. `/health` returns it, so that another program on the port does not count as the engine.",
  ),
  product: field(z.string(), "The product's slug."),
  user_id: z.string(),
  metadata: field(
    z.optional(z.record(z.string(), z.unknown())),
    "What the product stores with the engine, for `{{user.<key>}}` of the catalog. Omitted: nothing.",
  ),
  host: z.string(),
  port: z.int(),
  listen_fd: field(
    z.optional(z.int()),
    "The descriptor of a socket that listens on `host` and `port` already. Omitted: the engine makes its own.",
  ),
  data_dir: field(z.string(), "The engine's folder with store, workspace and catalog. It is kept between starts."),
  product_catalog: field(z.optional(productCatalog), "Omitted by daemons of earlier releases."),
  product_knowledge: field(
    z.optional(knowledgeVersion),
    "The product's knowledge: in `knowledge` of the catalog's folder, or sent later. Omitted without a document.",
  ),
  keys: z.array(engineKey),
  control_token: field(z.string(), "Presented by the daemon as `X-Control-Token` on `/control/*`."),
  settings: field(
    z.record(z.string(), z.string()),
    "`LLM_*`, `PLANNER_MODEL` and so on, as strings of an environment.",
  ),
  extra_ca_certs: nullable(
    z.string(),
    "The path of a PEM bundle that connections to the provider trust in addition to the built-in one.",
  ),
  tool_network: field(
    z.union([z.enum(["open", "none"]), z.array(z.string())]),
    "The policy's `tool_network`: what tools may connect to.",
  ),
  tool_listen: field(
    z.array(z.int()),
    "The policy's `tool_listen`: ports on loopback that tools may listen on and connect to.",
  ),
  limits: field(
    z.object({
      max_processes: z.int(),
      memory_mb: z.int(),
      disk_mb: z.int(),
      checkpoint_mb: z.optional(z.int()),
    }),
    "The policy's limits for the engine and its tools together. `checkpoint_mb` omitted: that of the default policy.",
  ),
  disk_reserve_mb: field(
    z.optional(z.int()),
    "MiB that tools leave free on the disk, whatever their quota. Omitted: none, as on a volume of the engine's own.",
  ),
  attachments: field(
    z.optional(attachmentLimits),
    "The policy's limits for attachments. Omitted: those of the default policy.",
  ),
  task_ttl_days: field(
    z.optional(z.int()),
    "The policy's `task_ttl_days`: days without activity after which a task is deleted. Omitted: never.",
  ),
  tool_cgroups: field(
    z.optional(z.array(z.string())),
    "The parent cgroups of its tools' cgroups, one in each hierarchy. Empty: the engine watches its tools itself.",
  ),
  user_tasks: field(
    z.optional(z.int()),
    "The limit of processes and threads of the engine's user. Omitted if a cgroup limits them, or the user is shared.",
  ),
  tracing: field(z.optional(tracingSettings), "Omitted: no tracing."),
  budgets: field(z.optional(engineBudgets), "Omitted: none."),
  when_busy: field(
    z.optional(z.enum(WHEN_BUSY)),
    "The policy's `when_busy`. Omitted by daemons of earlier releases: `reject`.",
  ),
  models: field(z.optional(z.object(modelRules)), "What the policy says of models. Omitted: every model, no fallback."),
  allowed: field(
    z.optional(z.object(allowedUse)),
    "What the policy says of the agents and tools that may be used. Omitted: all.",
  ),
  tool_hook: field(z.optional(toolHookRules), "What the policy says of the product's hook on tools. Omitted: none."),
  broker: field(
    z.optional(brokerOfEngine),
    "Who gives identity tokens, puts in secrets, and through which tool servers with logins are called. Omitted: nobody.",
  ),
  intercept_ca: field(
    z.optional(z.string()),
    "With the policy's `intercept`: the certificate of this engine's authority, in PEM, which its tools trust.",
  ),
  suspended: field(z.optional(z.enum(SUSPENSIONS)), "Omitted: the product is not suspended."),
  isolation: z._default(isolation, NOT_ISOLATED),
});
export type EngineLaunch = RecordOf<typeof engineLaunch>;

export const encodeLaunch = (launch: EngineLaunch): string => JSON.stringify(launch);

/** Throws `InvalidInput` (or a `SyntaxError`) for a file that is not one of ours. */
export const decodeLaunch = (text: string): EngineLaunch => parse(engineLaunch, JSON.parse(text)).value;
