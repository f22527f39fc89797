import type { EngineState } from "./engine-states.ts";
import type { IsoTime } from "./iso-time.ts";
import type { Policy } from "./policy.ts";
import type { AwakeReason, SleepReason, WakeReason } from "./sleep.ts";

export * from "./engine-states.ts";
export * from "./host-records.ts";
export * from "./iso-time.ts";
export * from "./policy.ts";

/** The orchestrator's headers and response records. Its request schemas are in `orchestrator-api.ts`. */
export const PLATFORM_KEY_HEADER = "X-Platform-Key";
export const ADMIN_KEY_HEADER = "X-Admin-Key";
export const REQUEST_ID_HEADER = "X-Request-Id";
export const IDEMPOTENCY_KEY_HEADER = "Idempotency-Key";
/** The phase of a daemon that does not serve calls. With 503 the call was not executed. */
export const PHASE_HEADER = "x-orch-phase";
export const IDEMPOTENT_REPLAYED_HEADER = "Idempotent-Replayed";

export type DesiredState = "running" | "stopped" | "destroyed";

export interface ProductRecord {
  readonly id: string;
  readonly slug: string;
  readonly name: string | null;
  readonly policy: Policy;
  /** The names set in the policy's `engine_env`. */
  readonly engine_env_names: readonly string[];
  /** The values that hold no secret. The others are never shown. */
  readonly engine_env_values: Readonly<Record<string, string>>;
  /** The parts of the key that identify it. */
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

/** The current resource usage of an engine with its tools. */
export interface EngineUsage {
  /** Per cent of one core, over the last seconds. Null until there are two samples. */
  readonly cpu_percent: number | null;
  readonly memory_mb: number;
  /** The size of its folder, measured about once a minute while it is active. Null before that. */
  readonly disk_mb: number | null;
  /** Turns that run or wait for a person, as of the last health probe. */
  readonly active_turns: number | null;
  /** Since its process started, read about once a minute and while turns run. Null until then. */
  readonly work: {
    /** Turns that ended. */
    readonly turns: number;
    /** Turns that ended with an error. */
    readonly failed_turns: number;
    /** Input and output tokens of the models. */
    readonly tokens: number;
  } | null;
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
  /**
   * The version of the product's catalog that its process uses, null while it is not known, and why it does not use the
   * current one. Null without a process.
   */
  readonly catalog: { readonly version: number | null; readonly error: string | null } | null;
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
    /** When its last work ended. Null while it has work, and before its first report. */
    readonly idle_since: IsoTime | null;
  } | null;
  readonly stop_reason: string | null;
  readonly last_active_at: IsoTime | null;
  readonly created_at: IsoTime;
  readonly started_at: IsoTime | null;
  readonly stopped_at: IsoTime | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

export interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly message: string;
    /** With `CATALOG_INVALID`: `errors`, and how many more there are. */
    readonly details?: Readonly<Record<string, unknown>> | undefined;
  };
}

export type StopResult = "drained" | "cut_off" | "killed";
