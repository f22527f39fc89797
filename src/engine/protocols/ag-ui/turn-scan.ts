import type { StoredEvent } from "../../../contract/engine/events.ts";
import { type EngineCalls, eventOf } from "../engine-calls.ts";
import { type HumanRequest, TurnProgress } from "../turn-progress.ts";

/** A place at which a turn waited, or waits. */
interface Pause {
  readonly seq: number;
  /** Ids of the requests and calls that it waited for. */
  readonly blockers: ReadonlySet<string>;
}

export interface ScannedTurn {
  readonly requests: ReadonlyMap<string, HumanRequest>;
  /** Calls of tools that the client runs. */
  readonly clientCalls: ReadonlySet<string>;
  readonly pauses: readonly Pause[];
  /** Ids of the requests and calls that have no answer yet. */
  readonly open: ReadonlySet<string>;
  /** The turn waits no longer where it waited up to this `seq`. */
  readonly passedSeq: number;
}

/** Reads where a turn waited, from its stored events. */
export async function scanTurn(calls: EngineCalls, turnId: string): Promise<ScannedTurn> {
  const progress = new TurnProgress();
  const requests = new Map<string, HumanRequest>();
  const clientCalls = new Set<string>();
  const pauses: Pause[] = [];
  for await (const rows of calls.read({ turnId, live: false, groups: ["message"] }))
    for (const row of rows) {
      const event: StoredEvent = eventOf(row);
      const waits = progress.apply(event);
      if (event.event === "hitl_request") requests.set(event.data.request_id, event.data);
      if (event.event === "tool_call" && event.data.runs === "client") clientCalls.add(event.data.tool_call_id);
      if (waits) pauses.push({ seq: row.seq, blockers: idsOf(progress) });
    }
  const open = idsOf(progress);
  const isPassed = ({ blockers }: Pause) => [...blockers].some((id) => !open.has(id));
  return { requests, clientCalls, pauses, open, passedSeq: pauses.findLast(isPassed)?.seq ?? 0 };
}

function idsOf({ blockers: { requests, calls } }: TurnProgress): ReadonlySet<string> {
  return new Set([...requests.map((one) => one.request_id), ...calls.map((one) => one.tool_call_id)]);
}

/**
 * Up to which `seq` a client has seen a turn that it answers: to the last place that waited for what is still open of these
 * ids. When nothing is, it answers again: to the place that waited for most of them.
 */
export function seenBy({ pauses, open }: ScannedTurn, ids: readonly string[]): number {
  const fresh = ids.filter((id) => open.has(id));
  if (fresh.length > 0) return pauses.findLast(({ blockers }) => fresh.every((id) => blockers.has(id)))?.seq ?? 0;
  const last = pauses.findLast(({ blockers }) => ids.some((id) => blockers.has(id)));
  if (last === undefined) return 0;
  const shared = ({ blockers }: Pause) => ids.filter((id) => blockers.has(id)).length;
  const own = ids.filter((id) => last.blockers.has(id));
  const alike = pauses.filter(({ blockers }) => own.every((id) => blockers.has(id)));
  return alike.reduce((best, one) => (shared(one) >= shared(best) ? one : best), last).seq;
}
