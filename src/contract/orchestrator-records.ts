import type { HostCheck } from "./host-check.ts";
import type { ISOLATION_MODES } from "./settings.ts";
import type { AwakeReason, SleepReason, WakeReason } from "./sleep.ts";

/** The orchestrator's headers and response records. Its request schemas are in `orchestrator-api.ts`. */
export const PLATFORM_KEY_HEADER = "X-Platform-Key";
export const ADMIN_KEY_HEADER = "X-Admin-Key";
export const REQUEST_ID_HEADER = "X-Request-Id";
export const IDEMPOTENCY_KEY_HEADER = "Idempotency-Key";
export const IDEMPOTENT_REPLAYED_HEADER = "Idempotent-Replayed";

export const ENGINE_STATES = [
  "provisioning",
  "starting",
  "running",
  "unhealthy",
  "sleeping",
  "backoff",
  "stopping",
  "stopped",
  "failed",
  "stop_failed",
  "destroying",
] as const;
export type EngineState = (typeof ENGINE_STATES)[number];
export type DesiredState = "running" | "stopped" | "destroyed";

export const POLICY_ACTIONS = ["provision", "start", "stop", "rotate_key", "destroy", "auto_provision"] as const;
export type PolicyAction = (typeof POLICY_ACTIONS)[number];

/** A product's policy as it is stored and shown, without `engine_env`. */
export interface Policy {
  /** Engines not destroyed; `null` is no limit. */
  readonly max_engines: number | null;
  /** `null` is no limit. */
  readonly requests_per_minute: number | null;
  readonly allowed_actions: readonly PolicyAction[];
  readonly suspended: boolean;
  /** Seconds without work after which an engine is put to sleep; 0 is never. */
  readonly idle_stop_s: number;
  /** Seconds a stop waits for running turns. */
  readonly drain_s: number;
  readonly memory_mb: number;
  /** Processes and threads of one engine and its tools. */
  readonly max_processes: number;
  /** MiB of an engine's folder: workspace, store and caches. */
  readonly disk_mb: number;
  /** The engine's share of the CPU when it is scarce, as `cpu.weight` of cgroup v2. */
  readonly cpu_weight: number;
  readonly tool_network: ToolNetworkPolicy;
  /** TCP ports on loopback that tools may listen on and connect to. */
  readonly tool_listen: readonly number[];
}

/** What tools may connect to: the public internet, nothing, or the listed hosts and networks. */
export type ToolNetworkPolicy = "open" | "none" | readonly string[];

export const DEFAULT_POLICY: Policy = {
  max_engines: 100,
  requests_per_minute: 600,
  allowed_actions: POLICY_ACTIONS,
  suspended: false,
  idle_stop_s: 300,
  drain_s: 30,
  memory_mb: 1024,
  max_processes: 256,
  disk_mb: 2048,
  cpu_weight: 100,
  tool_network: "open",
  tool_listen: [],
};

/** `2026-11-01T12:00:00.000Z` */
export type IsoTime = string;

export interface ProductRecord {
  readonly id: string;
  readonly slug: string;
  readonly name: string | null;
  readonly policy: Policy;
  /** The names set in the policy's `engine_env`. */
  readonly engine_env_names: readonly string[];
  /** The values that hold no secret. The others are never shown. */
  readonly engine_env_values: Readonly<Record<string, string>>;
  /** Enough to recognise the key. */
  readonly platform_key: {
    readonly prefix: string | null;
    readonly last4: string | null;
    readonly created_at: IsoTime;
  };
  readonly created_at: IsoTime;
  readonly updated_at: IsoTime;
}

export interface LastError {
  readonly phase: "boot" | "run" | "stop";
  readonly reason: string;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly oom: boolean;
  readonly log_tail: readonly string[];
  readonly at: IsoTime;
}

/** What an engine and its tools use now. */
export interface EngineUsage {
  /** Of one core, over the last seconds. Null until there are two samples. */
  readonly cpu_percent: number | null;
  readonly memory_mb: number;
  /** The size of its folder, measured about once a minute while it is active. Null before that. */
  readonly disk_mb: number | null;
  /** Turns that run or wait for a person, as of the last health probe. */
  readonly active_turns: number | null;
  readonly sampled_at: IsoTime;
}

export interface EngineRecord {
  readonly id: string;
  readonly product_id: string;
  readonly user_id: string;
  readonly state: EngineState;
  /** True in `running` and `unhealthy`. */
  readonly running: boolean;
  readonly desired_state: DesiredState;
  readonly port: number;
  readonly url: string;
  readonly incarnation: string;
  readonly pid: number | null;
  readonly version: string | null;
  readonly api_key: {
    readonly prefix: string;
    readonly last4: string;
    readonly created_at: IsoTime;
    readonly previous_expires_at: IsoTime | null;
  };
  readonly health: {
    readonly status: "unknown" | "ok" | "failing";
    readonly last_ok_at: IsoTime | null;
    readonly consecutive_failures: number;
  };
  readonly restarts: {
    readonly count: number;
    readonly window_started_at: IsoTime | null;
    readonly next_at: IsoTime | null;
  };
  /** Null without a process, and before its first sample. */
  readonly usage: EngineUsage | null;
  readonly last_error: LastError | null;
  /** Null unless the engine is `sleeping`. */
  readonly sleep: { readonly since: IsoTime; readonly reason: SleepReason } | null;
  /** Null unless the engine is `running`. */
  readonly awake: {
    /** Null when it was started otherwise. */
    readonly woken_by: WakeReason | null;
    /** As the engine last reported it. */
    readonly kept_by: readonly AwakeReason[];
    /** When its last work ended. Null while it works, and until it has reported. */
    readonly idle_since: IsoTime | null;
  } | null;
  readonly stop_reason: string | null;
  readonly last_active_at: IsoTime | null;
  readonly created_at: IsoTime;
  readonly started_at: IsoTime | null;
  readonly stopped_at: IsoTime | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** `GET /health` of the daemon. */
export interface DaemonHealth {
  readonly status: "ok";
  readonly version: string;
  readonly uptime_s: number;
}

/** `GET /ready` of the daemon, when it serves calls. */
export interface DaemonReady {
  readonly status: "ready";
  readonly version: string;
}

/** As `ORCH_ISOLATION` sets it. */
export type IsolationMode = (typeof ISOLATION_MODES)[number];

/**
 * The parts of the isolation. `engine`: what the engine's process can reach. `user`: an operating-system user per engine.
 * `tools`: what commands and tool servers can reach. `network`: which hosts they can reach. `limits`: what they can use up.
 */
export const ISOLATION_PARTS = ["engine", "user", "tools", "network", "limits"] as const;

export interface IsolationPart {
  readonly name: (typeof ISOLATION_PARTS)[number];
  readonly active: boolean;
  /** Why the part is inactive or covers less than elsewhere. Null when nothing is missing. */
  readonly problem: string | null;
  /** The setting or the command that would remove the problem. */
  readonly fix: string | null;
  /** What the part is made of on this host. */
  readonly detail: string | null;
}

export interface Isolation {
  readonly mode: IsolationMode;
  readonly parts: readonly IsolationPart[];
}

/** The daemon's host, for operators. */
export interface HostStatus {
  readonly version: string;
  readonly host_id: string;
  readonly uptime_s: number;
  readonly draining: boolean;
  /** Open while restarts wait because many engines fail at once. */
  readonly breaker: "open" | "closed";
  readonly engines: Readonly<Record<EngineState, number>>;
  /** Engines that run here. Beyond the limit one sleeps before another starts; null is no limit. */
  readonly awake: { readonly engines: number; readonly limit: number | null };
  readonly boots: { readonly starting: number; readonly waiting: number };
  readonly ports: {
    readonly min: number;
    readonly max: number;
    readonly total: number;
    readonly taken: number;
    readonly free: number;
    /** Released, but not reusable yet. */
    readonly resting: number;
    /** Another program was found on them. */
    readonly quarantined: number;
  };
  readonly load: {
    /** Of the last minute. */
    readonly average: number;
    readonly cores: number;
    readonly memory_available_mb: number;
    readonly memory_total_mb: number;
    readonly disk_free_mb: number;
  };
  readonly isolation: Isolation;
  readonly backup: {
    /** Hours between scheduled backups, or null. */
    readonly every_h: number | null;
    readonly newest_at: IsoTime | null;
    readonly running: boolean;
    /** Why the last backup failed or lacks files, or null. */
    readonly problem: string | null;
  };
  /** Processes of incarnations without a record. */
  readonly orphans: readonly { readonly incarnation: string; readonly pids: readonly number[] }[];
  /** Warnings for the operator. */
  readonly warnings: readonly string[];
}

/** What the daemon finds when it checks itself and its host. */
export interface HostReport {
  readonly version: string;
  /** The version of Node.js. */
  readonly node: string;
  /** The settings of the daemon's environment; `(set)` instead of a value that may be a secret. */
  readonly settings: Readonly<Record<string, string>>;
  readonly checks: readonly HostCheck[];
}

export interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

export interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string };
}

export type StopResult = "drained" | "cut_off" | "killed";
