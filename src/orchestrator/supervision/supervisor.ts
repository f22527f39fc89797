import type { LastError } from "../../contract/orchestrator/requests.ts";
import type { WakeReason } from "../../contract/engine/sleep.ts";
import type { ApiError } from "../api-error.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import type { Product } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";

/** Starts engines, and supervises each until its process ends. */
export interface Supervisor {
  /** Boots an engine for its provision when it has an awake slot and a boot slot. A stop or a destroy cancels the wait. */
  bootNew(engine: EngineRow, product: Product): Promise<BootResult>;
  /** Claims an engine when it has an awake slot and a boot slot, then boots it. Null when the claim returns null. */
  bootClaimed(product: Product, request: ClaimedBoot): Promise<BootResult | null>;
  /** Supervises the process that an earlier daemon started. */
  adopt(live: LiveEngine): void;
  /**
   * Waits for an engine's back-off, for the breaker and for a slot, then restarts the engine. A stop, start or destroy
   * in the meantime wins.
   */
  restart(engine: EngineRow): Promise<void>;
  /** Records an unexpected exit once the database is available, then restarts the engine or leaves it `failed`. */
  restartOrFail(exit: UnexpectedExit): Promise<void>;
  /** Wakes an engine. Concurrent wakes of one engine share one boot and one outcome. */
  wake(engineId: string, reason: WakeReason): Promise<WakeOutcome>;
  /** Wakes an engine in the background for calls that wait on its socket. After a failure it answers the calls. */
  wakeForCalls(engineId: string, reason: WakeReason): void;
}

export interface ClaimedBoot {
  readonly engineId: string;
  /** Whether a client waits. */
  readonly requested: boolean;
  /** I2 commit before spawn: the claim commits the new incarnation. */
  readonly claim: () => Promise<EngineRow | null>;
}

/** The outcome of a boot. */
export type BootResult =
  | { readonly kind: "running"; readonly engine: EngineRow }
  | FailedBoot
  /** A stop or a destroy took the engine over during the boot. Its process is gone. */
  | { readonly kind: "overtaken" };

export interface FailedBoot {
  readonly kind: "failed";
  readonly incarnation: string;
  readonly lastError: LastError;
  readonly error: ApiError;
}

export type WakeOutcome =
  | { readonly kind: "awake"; readonly engine: EngineRow }
  | { readonly kind: "failed"; readonly error: ApiError }
  /** It was not asleep, or another call changed it. */
  | { readonly kind: "not_asleep" };

/** An exit of an incarnation that no request caused. */
export interface UnexpectedExit {
  readonly id: string;
  readonly incarnation: string;
  /** The states it may have been in. In any other state a request has taken the engine over. */
  readonly from: readonly ("starting" | "running" | "unhealthy")[];
  readonly lastError: LastError;
  readonly healthyForMs: number;
}
