import type { EngineState } from "./engine-states.ts";
import type { HostCheck } from "./host-check.ts";
import type { IsoTime } from "./iso-time.ts";
import type { ISOLATION_MODES } from "./settings.ts";
import type { SparesReport } from "./spares-report.ts";

/** `GET /health` of the daemon. */
export interface DaemonHealth {
  readonly status: "ok";
  readonly version: string;
  readonly uptime_s: number;
  readonly role: ReplicaRole;
  /** The URL or name of the leader. Null while it is unknown. */
  readonly leader: string | null;
}

/** `follower`: forwards calls to the leader, or waits to lead. */
export type ReplicaRole = "leader" | "follower";

/** `GET /ready` of the daemon, when it serves calls. */
export interface DaemonReady {
  readonly status: "ready";
  readonly version: string;
  readonly role: ReplicaRole;
  readonly leader: string | null;
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
  /** How the part is implemented on this host. */
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
  /** `open` while restarts wait because many engines fail at once. */
  readonly breaker: "open" | "closed";
  readonly engines: Readonly<Record<EngineState, number>>;
  /** Engines that are awake. At the limit, one must sleep before another starts; null is no limit. */
  readonly awake: { readonly engines: number; readonly limit: number | null };
  readonly boots: { readonly starting: number; readonly waiting: number };
  /** Processes that wait for the next starts of engines. The target is `ORCH_WARM_ENGINES`. */
  readonly spares: Omit<SparesReport, "claims">;
  readonly ports: {
    readonly min: number;
    readonly max: number;
    readonly total: number;
    readonly taken: number;
    readonly free: number;
    /** Released, but not reusable yet. */
    readonly resting: number;
    /** Ports on which another program was found. */
    readonly quarantined: number;
  };
  readonly load: {
    /** The load average of the last minute. */
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
  readonly orphans: readonly {
    readonly incarnation: string;
    /** Empty with a backend that has none. */
    readonly pids: readonly number[];
    /** The commands that show and end them. */
    readonly fix: string;
  }[];
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
