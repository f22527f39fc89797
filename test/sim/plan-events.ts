/** What a client asks of the fleet. */
export type Command =
  | {
      readonly kind: "admit" | "provision" | "start" | "stop" | "kill" | "sleep" | "destroy" | "restart";
      readonly user: string;
    }
  | { readonly kind: "destroy keeping data"; readonly user: string }
  /** A call at the engine's address that runs a turn. */
  | { readonly kind: "turn"; readonly user: string; readonly ms: number };

/** What goes wrong. */
export type Trouble =
  | { readonly kind: "engine crashes" | "engine out of memory"; readonly user: string }
  | { readonly kind: "engine hangs" | "engine is unkillable"; readonly user: string; readonly ms: number }
  | { readonly kind: "daemon dies"; readonly ms: number }
  | { readonly kind: "daemon stops"; readonly ms: number }
  | { readonly kind: "daemon freezes"; readonly ms: number }
  | { readonly kind: "postgres freezes" | "postgres is away"; readonly ms: number }
  /** Of one change of an engine. */
  | { readonly kind: "answer is lost" }
  | { readonly kind: "change is late" | "answer is late"; readonly ms: number }
  | {
      readonly kind: "answers are lost" | "statements are late" | "statements race";
      readonly ms: number;
      readonly share: number;
    }
  | {
      readonly kind: "boots are bad" | "launches fail" | "processes are unknown" | "engines are deaf";
      readonly ms: number;
      readonly share: number;
    }
  | { readonly kind: "disk is full" | "memory is full"; readonly ms: number }
  | { readonly kind: "clock is set"; readonly ms: number };

/** Something at a time of the run. */
export interface Event {
  /** Milliseconds since the start. */
  readonly at: number;
  /** Then at the change of an engine with this number: in the middle of what changes it. */
  readonly change?: number;
  readonly does: Command | Trouble;
}

export const USERS = ["ann", "ben", "cleo"] as const;
/** When the last event is planned. */
export const HORIZON_MS = 30_000;
