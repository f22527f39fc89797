import type { FinishReason, ModelFailure, ModelRequest, ModelUsage } from "./model-provider.ts";

/** How a call ended. Times are in milliseconds. */
export interface RecordedEnd {
  readonly outcome: "completed" | "failed" | "aborted";
  readonly reason: FinishReason | ModelFailure["kind"] | "fault";
  readonly usage: ModelUsage | null;
  readonly tookMs: number;
  /** To the first part of the answer; null if none came. */
  readonly firstMs: number | null;
}

/** The record of one call. */
export interface CallRecording {
  /** Runs the provider. What it sends meanwhile, also later in its async calls, belongs to this call. */
  within<T>(run: () => T): T;
  /** To be called once. */
  end(end: RecordedEnd): void;
}

/** Records calls of turns with the requests that they send. */
export interface CallRecorder {
  /** Null for a call that is not recorded, because it belongs to no turn. */
  start(provider: string, request: ModelRequest): CallRecording | null;
  /** A `fetch` that records the request of the current call. */
  capturing(inner: typeof fetch): typeof fetch;
}
