import { type EventRecord, type EventType, ORCHESTRATOR_EVENTS } from "../src/contract/orchestrator-events.ts";
import { safe } from "./output.ts";

const TYPE_WIDTH = Math.max(...Object.keys(ORCHESTRATOR_EVENTS).map((type) => type.length));

const ALARMING: readonly EventType[] = ["engine.crashed", "engine.gave_up", "engine.leaked", "host.breaker_opened"];

export const isAlarming = ({ type }: EventRecord): boolean => ALARMING.includes(type);

/** An event as one line of a log: time, type, whom it is about, from → to, and why. */
export function describeEvent(event: EventRecord, { ofAll }: { readonly ofAll: boolean }): string {
  const { time, type, product_id, user_id, from, to, reason, data } = event;
  const about = [...(ofAll ? [product_id] : []), user_id].map((id) => (id === null ? "-" : safe(id)));
  const change =
    from === null && to === null
      ? []
      : [`${from === null ? "" : `${safe(from)} `}→ ${to === null ? "gone" : safe(to)}`];
  const details = Object.entries(data ?? {}).map(([name, value]) => `${safe(name)}=${safe(value)}`);
  const words = [...change, ...(reason === null ? [] : [safe(reason)]), ...details];
  return [safe(time), safe(type).padEnd(TYPE_WIDTH), ...about, words.join("  ")].join("  ").trimEnd();
}
