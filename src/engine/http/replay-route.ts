import type { Request, RequestHandler } from "express";
import type { ReplayPage } from "../../contract/engine-api.ts";
import { isoTime } from "../../kit/clock.ts";
import { InvalidInput } from "../../kit/parse.ts";
import { EngineError } from "../engine-error.ts";
import type { EventJournal } from "../turns/event-journal.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";
import { flagParameter, integerParameter, parameter } from "./call.ts";
import { wantsIds } from "./execute-route.ts";
import { EventStream, type StreamLimits } from "./event-stream.ts";
import { followEvents } from "./follow-events.ts";
import { mergeDeltas } from "./merge-deltas.ts";

const MAX_FOLLOWERS = 16;

type Cursor = { readonly afterSeq?: number; readonly afterTs?: number };

export interface ReplayParts {
  readonly journal: EventJournal;
  readonly runner: TurnRunner;
  readonly limits: StreamLimits;
}

/** What was missed since a cursor: a page of JSON, or with `Accept: text/event-stream` frames, on request live. */
export function replayRoute({ journal, runner, limits }: ReplayParts): RequestHandler {
  return async (request, response) => {
    const cursor = readCursor(request);
    const turnId = parameter(request, "turn_id");
    const where = { taskId: parameter(request, "task_id"), turnId };
    const live = flagParameter(request, "follow");
    journal.flush();
    const oldest = journal.oldest();
    const truncated = isTruncated(cursor, oldest);
    if (
      !request.accepts(["application/json", "text/event-stream"]) ||
      request.accepts(["application/json", "text/event-stream"]) === "application/json"
    ) {
      const limit = integerParameter(request, "limit", { min: 1, max: 10_000, fallback: 1000 });
      response.json(
        page(
          journal,
          { ...cursor, ...where, limit },
          { truncated, oldest, after: parameter(request, "after") ?? null },
        ),
      );
      return;
    }
    if (live && where.taskId !== undefined && journal.readerCount(where.taskId) >= MAX_FOLLOWERS) {
      throw new EngineError("TASK_BUSY", `the task has ${MAX_FOLLOWERS} readers already`);
    }
    const headers = { "X-Truncated": String(truncated), ...(oldest !== null && { "X-Oldest-Ts": isoTime(oldest.ts) }) };
    const stream = await EventStream.open(response, {
      withIds: wantsIds(request),
      limits,
      headers,
      cut: () => journal.cut(),
    });
    await followEvents(stream, journal, {
      ...cursor,
      ...where,
      live,
      merge: true,
      isRunning: turnId === undefined ? null : () => runner.isRunning(turnId),
    });
  };
}

function page(
  journal: EventJournal,
  filter: Parameters<EventJournal["read"]>[0],
  { truncated, oldest, after }: { truncated: boolean; oldest: { ts: number } | null; after: string | null },
): ReplayPage {
  const rows = journal.read(filter);
  const last = rows.at(-1);
  return {
    events: mergeDeltas(rows).map(({ type, data }) => ({
      event: type,
      data: JSON.parse(data) as Record<string, unknown>,
    })),
    next_after: last === undefined ? after : isoTime(last.ts),
    truncated,
    oldest_ts: oldest === null ? null : isoTime(oldest.ts),
  };
}

/** `after` is a time or a `seq`, both exclusive; without it `Last-Event-ID`; without both everything kept is read. */
function readCursor(request: Request): Cursor {
  const text = parameter(request, "after") ?? request.get("Last-Event-ID");
  if (text === undefined) return {};
  if (/^\d{1,15}$/.test(text)) return { afterSeq: Number(text) };
  const time = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new InvalidInput("after", "expected an ISO 8601 timestamp or a sequence number");
  return { afterTs: time };
}

/** Events behind the cursor have been dropped. Numbers start at 1, so that a first number above it shows a loss. */
function isTruncated({ afterSeq, afterTs }: Cursor, oldest: { seq: number; ts: number } | null): boolean {
  if (oldest === null || oldest.seq <= 1) return false;
  if (afterSeq !== undefined) return afterSeq < oldest.seq - 1;
  return afterTs === undefined || afterTs < oldest.ts;
}
