import type { EngineHandle } from "../../contract/orchestrator/engine-handle.ts";
import type { EngineLaunch, ProductCatalog } from "../../contract/engine/launch.ts";
import type { CatalogStorage } from "./catalog-storage.ts";
import type { KnowledgeStorage } from "./knowledge-storage.ts";
import type { EngineStorage, KeptFor, StoredEngine } from "./engine-storage.ts";
import type { HeldSockets } from "./sockets/engine-sockets.ts";
import type { LimitsReport } from "./limits-report.ts";
import type { ClaimOutcome, SparesReport } from "../../contract/orchestrator/spares-report.ts";

/**
 * Runs engines, as child processes or in containers. A backend knows no database and no HTTP server.
 * I3 identity before signal: it signals no process whose identity it cannot prove, and changes nothing it did not create.
 */
export interface EngineBackend {
  readonly storage: EngineStorage;
  readonly catalogs: CatalogStorage;
  readonly knowledge: KnowledgeStorage;
  /**
   * The listening sockets of engines, in which calls wait while an engine restarts or sleeps. Without a held socket, only
   * calls through the gateway can wait.
   */
  readonly sockets: HeldSockets;
  /** The base URL of an engine, by its record. Nothing may answer there. */
  addressOf(engine: { readonly port: number | null; readonly handle: EngineHandle | null }): string;
  /** Why no further engine can be created (`new`) or started (`awake`) now, or no spare kept (`spare`). Null when one can, as far as is known. */
  capacityProblem(purpose: CapacityFor): Promise<string | null>;
  /** Why other programs may take the ports of engines, and what to do. Null when they cannot. */
  portProblem(): Promise<string | null>;
  /** Which limits of engines are enforced on this host, and by what. */
  limitsReport(): LimitsReport;
  /** Why engines start slowly on this host, and what to do. Null when they start from snapshots. */
  startProblem(): string | null;
  /** Processes that wait for the next launches. */
  readonly spares: {
    report(): SparesReport;
    /** Ends one, because an engine needs its memory. False when there is none. */
    endOne(): boolean;
    close(): void;
  };
  /**
   * Spawns one engine, detached, with its output in the engine's log. Resolves when the process exists, before it is
   * healthy. Rejects with {@link LaunchFailed} after cleaning up when there is no process.
   */
  launch(order: LaunchOrder): Promise<EngineProcess>;
  /** Tells that a launch follows soon. A backend that has nothing to prepare has no such method. */
  expectLaunch?(): void;
  /**
   * Attaches to the process of an earlier daemon by its recorded handle. Null instead of a handle searches for a process
   * of the incarnation that was launched and not recorded.
   */
  attach(incarnation: Incarnation, handle: EngineHandle | null): Promise<Attached>;
  /** The last lines of an engine's log, oldest first, without what looks like a key. None when there is no log. */
  logs(engine: StoredEngine, lines: number): Promise<readonly string[]>;
  /** The last lines, then each new one, until the signal aborts or the log is removed. */
  followLogs(
    engine: StoredEngine,
    options: { readonly lines: number; readonly signal: AbortSignal },
  ): AsyncIterable<string>;
  /** CPU and memory of engines with their tools. A process that is gone has no entry. */
  usage(processes: readonly EngineProcess[]): Promise<ReadonlyMap<EngineProcess, ProcessTreeUsage>>;
  /**
   * Memory in bytes that each of a few engines takes with its tools, where pages that many engines share count in part.
   * A process that is gone has no entry.
   */
  proportionalMemory(processes: readonly EngineProcess[]): Promise<readonly number[]>;
  /**
   * For an incarnation whose exit this daemon did not observe: removes its launch file and kills its remaining child
   * processes. After an observed exit this happens by itself.
   */
  endOrphans(incarnation: Incarnation): Promise<StopOutcome>;
  /** After the process of an incarnation is gone: what still listens at its address. Null when nothing does. */
  addressConflict(incarnation: Incarnation): Promise<Survived | null>;
  /**
   * Lists the processes of this deployment that belong to none of these incarnations. It signals none; `endOrphans` kills
   * them.
   */
  listOrphans(known: readonly Pick<Incarnation, "id" | "uid">[]): Promise<readonly Orphan[]>;
}

export type CapacityFor = "new" | "awake" | "spare";

/** One life of an engine's process, as a later daemon needs it to find the process. */
export interface Incarnation {
  readonly id: string;
  readonly engineId: string;
  /** 0 where the backend gives engines addresses of their own. */
  readonly port: number;
  /** The user that its processes run as. Null for the daemon's own. */
  readonly uid: number | null;
}

/** The processes of an incarnation without a record. */
export interface Orphan {
  readonly incarnation: string;
  /** For operators. Empty with a backend whose processes have no pid on this host. */
  readonly pids: readonly number[];
  /** The commands that show and end them. */
  readonly fix: string;
}

/** The launch parameters that do not depend on the backend. The backend adds the rest of the launch file. */
export type EngineParameters = Omit<
  EngineLaunch,
  | "host"
  | "listen_fd"
  | "data_dir"
  | "disk_reserve_mb"
  | "extra_ca_certs"
  | "tool_cgroups"
  | "user_tasks"
  | "isolation"
  | "product_catalog"
>;

export interface LaunchOrder {
  readonly launch: EngineParameters;
  /** To whom the engine's data belong. */
  readonly owner: KeptFor;
  /** The version of its product's catalog. Left out: none. */
  readonly catalog?: Omit<ProductCatalog, "folder"> & { readonly productId: string };
  readonly memoryMb: number;
  /** The user and group that the engine runs as. Null for the daemon's own. */
  readonly uid: number | null;
  /** The engine's share of the CPU when it is scarce, as `cpu.weight` of cgroup v2. */
  readonly cpuWeight: number;
}

export type Attached =
  | { readonly kind: "running"; readonly process: EngineProcess }
  /** `host`: the machine restarted or failed, so the exit is not the engine's fault. */
  | { readonly kind: "gone"; readonly cause: "exit" | "host" }
  /** The backend cannot tell now. The caller must change nothing, and retry later. */
  | { readonly kind: "unknown"; readonly reason: string };

export interface EngineProcess {
  /** For {@link EngineBackend.attach} of a later daemon. */
  readonly handle: EngineHandle;
  /** The engine's base URL, as this daemon reaches it. */
  readonly address: string;
  /** Resolves when the process has exited and never rejects. Code and signal are null for an adopted process. */
  readonly exited: Promise<EngineExit>;
  /** How its launch went with spares. Null where none are kept, and for an adopted process. */
  readonly spare: ClaimOutcome | null;
  /** Sends SIGTERM and after `termMs` SIGKILL to the whole tree. Resolves when the tree is empty or with the survivors. */
  stop(termMs: number): Promise<StopOutcome>;
  /**
   * Call it once the engine is healthy or adopted, or has failed to become so: removes the secrets that were handed over,
   * and takes a share of the listening socket of an engine that an earlier daemon started. An exit removes the secrets too.
   */
  settle(): Promise<void>;
}

export interface ProcessTreeUsage {
  /** CPU time since the start of each running process, including the children that it has waited for. */
  readonly cpuMs: number;
  /** Resident memory. Pages that several processes share count once. */
  readonly memoryBytes: number;
}

/** How a process exited. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface EngineExit extends ProcessExit {
  /** Killed by the kernel's OOM killer. An exhausted V8 heap aborts instead and is logged. */
  readonly oom: boolean;
  /** Why the machine or the cluster ended it. Such an exit is not the engine's fault. */
  readonly host?: string;
}

export type StopOutcome = { readonly kind: "exited" } | { readonly kind: "killed" } | Survived;

/** Processes of an incarnation are left that could not be killed. */
export interface Survived {
  readonly kind: "survived";
  readonly reason: string;
  /** For logs and events. */
  readonly data: Readonly<Record<string, unknown>>;
}
