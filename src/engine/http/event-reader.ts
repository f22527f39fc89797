import type { EventRow } from "../turns/event-journal.ts";

/** One reader of events, whatever becomes of them. Writing never waits. */
export interface EventReader {
  /** Aborted when the reader is gone. */
  readonly closed: AbortSignal;
  /** Whether it gets events of a type. */
  wants(type: string): boolean;
  readonly isBackedUp: boolean;
  /** Whether everything before now has been written to it. */
  upToDate: boolean;
  write(rows: readonly EventRow[]): void;
  /** Resolves when it has read most of what was written, or is gone. */
  drained(): Promise<void>;
  end(): void;
}
