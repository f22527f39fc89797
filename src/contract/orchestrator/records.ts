import type { EngineRecord } from "./engine.ts";

export type * from "./engine.ts";
export type { ErrorBody } from "./error-body.ts";
export type * from "./host.ts";
export type * from "./product.ts";
export * from "./engine-states.ts";
export type { IsoTime } from "../record.ts";
export * from "./policy.ts";

export type DesiredState = EngineRecord["desired_state"];

export interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}
