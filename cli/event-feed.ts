import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { readFrames } from "../src/client/sse-frames.ts";
import { type EventRecord, GAP_EVENT } from "../src/contract/orchestrator-events.ts";
import { cliFailure } from "./client-failure.ts";
import { CliFailure, type ExitName } from "./exit-codes.ts";
import { isCut } from "./http.ts";
import type { Caller, OrchestratorClient } from "./orchestrator-client.ts";

/** Four keep-alive comments: a stream that is silent for longer is dead. */
const IDLE_MS = 60_000;
const OPEN_MS = 10_000;
/** Five minutes in all: long enough for an upgrade of the daemon. */
const RECONNECT_MS: readonly number[] = [200, 1000, 2000, 4000, ...Array<number>(58).fill(5000)];
const GOOD_MS = 10_000;
/** Refusals that another try may mend: a daemon that starts, or has too many readers. */
const PASSING: readonly ExitName[] = ["unavailable", "timeout", "limited"];
/** An id before every other: behind it comes all that is kept. */
const NOTHING_SEEN = "evt_00000000-0000-0000-0000-000000000000";

export interface Feed {
  readonly client: Pick<OrchestratorClient, "pages" | "stream">;
  readonly as: Caller;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

export interface History {
  /** The oldest first. */
  readonly events: readonly EventRecord[];
  /** The newest event of all, wanted or not; null when nothing has happened yet. */
  readonly newestId: string | null;
}

/** The last `count` events that are wanted, as far as they are kept. */
export async function readHistory(
  { client, as, path, query }: Feed,
  { count, wanted }: { readonly count: number; readonly wanted: (event: EventRecord) => boolean },
): Promise<History> {
  const events: EventRecord[] = [];
  let newestId: string | null = null;
  for await (const page of client.pages<EventRecord>(as, path, query)) {
    newestId ??= page[0]?.id ?? null;
    events.push(...page.filter(wanted));
    if (events.length >= count) break;
  }
  return { events: events.slice(0, count).toReversed(), newestId };
}

export type Followed =
  | { readonly kind: "event"; readonly event: EventRecord }
  /** Some events behind the last one are no longer kept. */
  | { readonly kind: "gap" }
  /** There is no stream now; it is tried again. */
  | { readonly kind: "away"; readonly reason: string }
  | { readonly kind: "connected-again" };

/**
 * Events as they happen, each once, from behind the event `after`, or all that are kept. A connection that is lost is
 * taken up again where it was cut.
 */
export async function* followEvents(
  feed: Feed,
  { after, reconnectMs = RECONNECT_MS }: { readonly after: string | null; readonly reconnectMs?: readonly number[] },
): AsyncGenerator<Followed> {
  let last = after;
  let tries = 0;
  let away = false;
  for (;;) {
    let openedAt = Infinity;
    let reason = "it was closed";
    try {
      const response = await openStream(feed, last);
      if (away) yield { kind: "connected-again" };
      away = false;
      openedAt = Date.now();
      for await (const { type, id, data } of readFrames(response)) {
        tries = 0;
        if (type === GAP_EVENT) {
          // Who has seen nothing misses nothing.
          if (last !== null) yield { kind: "gap" };
        } else if (id === null || id !== last) {
          yield { kind: "event", event: readRecord(data) };
          last = id ?? last;
        }
      }
    } catch (thrown) {
      const error = cliFailure(thrown);
      if (!isTransient(error)) throw error;
      reason = isCut(error) ? String(error.code) : error.message;
    }
    // One that stayed open was a good one, even if nothing happened meanwhile.
    if (Date.now() - openedAt > GOOD_MS) tries = 0;
    if (!away) yield { kind: "away", reason };
    away = true;
    const waitMs = reconnectMs[tries++];
    if (waitMs === undefined) throw new CliFailure("unavailable", `the stream of events stays away (${reason})`);
    await sleep(waitMs);
  }
}

function readRecord(json: string): EventRecord {
  try {
    return JSON.parse(json) as EventRecord;
  } catch (error) {
    throw new CliFailure("unexpected", `an event came that is no JSON (${String(error).slice(0, 100)})`);
  }
}

async function openStream({ client, as, path, query }: Feed, last: string | null): Promise<IncomingMessage> {
  const headers = { accept: "text/event-stream", "last-event-id": last ?? NOTHING_SEEN };
  const response = await client.stream(as, `${path}?${new URLSearchParams(query).toString()}`, {
    headers,
    deadlineMs: OPEN_MS,
    idleMs: IDLE_MS,
  });
  if (response.headers["content-type"]?.startsWith("text/event-stream")) return response;
  response.destroy();
  throw new CliFailure("unexpected", "the answer is no event stream; is ORCH_URL right?");
}

const isTransient = (error: unknown): error is Error =>
  isCut(error) || (error instanceof CliFailure && PASSING.includes(error.exit));
