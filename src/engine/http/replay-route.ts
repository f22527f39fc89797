import type { Request, RequestHandler } from "express";
import type { ReplayPage } from "../../contract/engine/events.ts";
import { REPLAY_LIMIT } from "../../contract/engine/routes.ts";
import { isoTime } from "../../shared/clock.ts";
import { flagParameter, integerParameter, parameter } from "../../shared/http/parameters.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { EngineError } from "../engine-error.ts";
import { ALL_TASKS, type EventJournal, type EventRow } from "../turns/event-journal.ts";
import type { Followers } from "../sleep/followers.ts";
import type { FollowerLimit } from "../turns/follower-limit.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";
import { EventStream, type StreamLimits } from "./event-stream.ts";
import { followEvents } from "./follow-events.ts";
import { mergeDeltas } from "./merge-deltas.ts";
import { type Wanted, wantedEvents, wantsIds } from "./wanted-events.ts";

/** Characters. A page of large events has fewer than requested, which bounds the engine's memory. */
const MAX_PAGE_LENGTH = 4 * 1024 * 1024;

type Cursor = { readonly afterSeq?: number; readonly afterTs?: number };

export interface ReplayParts {
  readonly journal: EventJournal;
  readonly runner: TurnRunner;
  readonly followerLimit: FollowerLimit;
  readonly followers: Followers;
  readonly limits: StreamLimits;
}

/** Events since a cursor: a page of JSON, or with `Accept: text/event-stream` a stream, which may continue live. */
export function replayRoute({ journal, runner, followerLimit, followers, limits }: ReplayParts): RequestHandler {
  return async (request, response) => {
    const cursor = readCursor(request);
    const turnId = parameter(request, "turn_id");
    const where = { taskId: parameter(request, "task_id"), turnId };
    // A HEAD request has no body to stream.
    const live = flagParameter(request, "follow") && request.method !== "HEAD";
    const limit = limitParameter(request);
    const wants = wantedEvents(request);
    journal.flush();
    const oldest = journal.oldest();
    const { seq, ts } = journal.last;
    // With an empty journal, the next event is the oldest.
    const truncated = isTruncated(cursor, oldest ?? { seq: seq + 1, ts: ts + 1 });
    if (request.accepts(["application/json", "text/event-stream"]) !== "text/event-stream") {
      const filter = { ...cursor, ...where, limit: limit ?? REPLAY_LIMIT.fallback, maxLength: MAX_PAGE_LENGTH };
      const after = parameter(request, "after") ?? null;
      // A client that does not read the page must not keep it in memory.
      response.setTimeout(limits.maxQueuedMs);
      response.type("json").send(pageOf(journal.read(filter), { truncated, oldest, after, wants }));
      return;
    }
    if (live) followerLimit.acquire(followed(where, runner), response);
    const headers = { "X-Truncated": String(truncated), ...(oldest !== null && { "X-Oldest-Ts": isoTime(oldest.ts) }) };
    const stream = EventStream.open(response, {
      withIds: wantsIds(request),
      limits,
      wants,
      headers,
      cut: () => journal.cursor(),
    });
    // A turn that waits for a person keeps its readers, so that they see the end of what they read.
    if (live && turnId === undefined)
      followers.add(response, {
        socket: request.socket,
        get isIdle() {
          return stream.upToDate && journal.flush();
        },
        sleep: () => stream.sleep(journal.last.seq),
      });
    await followEvents(stream, journal, {
      ...cursor,
      ...where,
      limit: live ? undefined : limit,
      live,
      merge: true,
      isRunning: turnId === undefined ? null : () => runner.isRunning(turnId),
    });
  };
}

/** A turn is followed as part of its task. An empty stream for an unknown one would look like a lost connection. */
function followed(
  { taskId, turnId }: { taskId: string | undefined; turnId: string | undefined },
  runner: TurnRunner,
): string | typeof ALL_TASKS {
  if (turnId === undefined) return taskId ?? ALL_TASKS;
  const task = runner.taskOf(turnId);
  if (task === null) throw new EngineError("NOT_FOUND", "no turn has this turn_id");
  return taskId ?? task;
}

const limitParameter = (request: Request): number | undefined =>
  parameter(request, "limit") === undefined ? undefined : integerParameter(request, "limit", REPLAY_LIMIT);

/** A {@link ReplayPage}, as text: the events are stored as JSON. */
function pageOf(
  rows: readonly EventRow[],
  {
    truncated,
    oldest,
    after,
    wants,
  }: { truncated: boolean; oldest: { ts: number } | null; after: string | null; wants: Wanted },
): string {
  const last = rows.at(-1);
  const rest: Omit<ReplayPage, "events"> = {
    next_after: last === undefined ? after : isoTime(last.ts),
    truncated,
    oldest_ts: oldest === null ? null : isoTime(oldest.ts),
  };
  const events = mergeDeltas(rows.filter(wants)).map(({ type, data }) => `{"event":"${type}","data":${data}}`);
  return `{"events":[${events.join(",")}],${JSON.stringify(rest).slice(1)}`;
}

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?)(Z|[+ -]\d\d:\d\d)?$/;

/**
 * `after` is a time or a `seq`, both exclusive; without it all kept events are read. An `EventSource`
 * that reconnects repeats its first URL and sends `Last-Event-ID`: the events after both are read.
 */
function readCursor(request: Request): Cursor {
  const [after, header] = [parameter(request, "after"), request.get("Last-Event-ID") || undefined];
  const cursor = after === undefined ? {} : cursorOf(after);
  const seen = header === undefined ? {} : cursorOf(header);
  if (cursor === null || (seen === null && after === undefined))
    throw new InvalidInput("after", "expected an ISO 8601 timestamp or a sequence number");
  if (seen?.afterSeq === undefined) return { ...seen, ...cursor };
  return { ...cursor, afterSeq: Math.max(seen.afterSeq, cursor.afterSeq ?? 0) };
}

function cursorOf(text: string): Cursor | null {
  if (/^\d{1,15}$/.test(text)) return { afterSeq: Number(text) };
  // Without a zone it is UTC, as all times of the interface. A plus sign in a query is decoded as a blank.
  const [, local, zone = "Z"] = TIME.exec(text) ?? [];
  const time = local === undefined ? Number.NaN : Date.parse(local + zone.replace(" ", "+"));
  return Number.isNaN(time) ? null : { afterTs: time };
}

/** Whether events after the cursor were pruned. Numbers start at 1, so an oldest number above 1 shows a loss. */
function isTruncated({ afterSeq, afterTs }: Cursor, oldest: { seq: number; ts: number }): boolean {
  if (oldest.seq <= 1) return false;
  if (afterSeq !== undefined) return afterSeq < oldest.seq - 1;
  return afterTs === undefined || afterTs < oldest.ts;
}
