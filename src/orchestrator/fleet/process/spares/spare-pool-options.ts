import type { Logger } from "../../../../shared/logger.ts";
import type { SpareProcess } from "./spare-process.ts";

/** What the refill of spares needs to know of a launch: the arguments and environment of its process. */
export interface SpareKind {
  readonly nodeOptions: readonly string[];
}

export interface SparePoolOptions {
  readonly target: number;
  /** Starts one process. Throws when it fails. */
  readonly start: (kind: SpareKind) => SpareProcess;
  /** The expected kind before the first launch. */
  readonly firstKind: () => Promise<SpareKind | null>;
  /** How many boots could start now without waiting. They have priority, so only so many spares start beside them. */
  readonly freeBoots: () => number;
  /** How many spares fit beside the engines that are awake. */
  readonly fitting: () => number;
  /** Whether the host has memory for another spare. */
  readonly hasMemory: () => Promise<boolean>;
  readonly logger: Logger;
  readonly retryMs?: number;
}
