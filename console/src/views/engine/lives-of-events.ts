import type { EngineState, EventRecord } from "@orchd/client";

/** A time in one state. */
export interface Phase {
  readonly state: EngineState;
  readonly fromMs: number;
  /** Null for the current one. */
  readonly toMs: number | null;
}

/** The states of an engine by their times, from its events in any order. */
export function phasesOf(events: readonly EventRecord[]): readonly Phase[] {
  const changes = events
    .flatMap(({ to, time }) => (to === null ? [] : [{ state: to, fromMs: Date.parse(time) }]))
    .sort((a, b) => a.fromMs - b.fromMs)
    .filter(({ state }, index, all) => index === 0 || all[index - 1]?.state !== state);
  return changes.map((change, index) => ({ ...change, toMs: changes[index + 1]?.fromMs ?? null }));
}
