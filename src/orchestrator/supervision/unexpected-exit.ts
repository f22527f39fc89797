import type { LastError } from "../../contract/orchestrator-api.ts";

/** The end of a life that nobody asked for. */
export interface UnexpectedExit {
  readonly id: string;
  readonly incarnation: string;
  /** The states it may have ended in; in another one a request has taken the engine over. */
  readonly from: readonly ("starting" | "running" | "unhealthy")[];
  readonly lastError: LastError;
  readonly healthyForMs: number;
}
