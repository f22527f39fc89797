import type { EventsParams } from "./orchestrator-routes.ts";
import type { EventPage, EventRecord } from "./records.ts";
import { GAP_EVENT } from "../contract/orchestrator/event-types.ts";
import { type RequestParams, type RetryOptions, type Service, callJson, openStream, withRetries } from "./http-call.ts";
import { OrchdError } from "./orchd-error.ts";
import { readPages } from "./pages.ts";
import { resumableStream } from "./resumable-stream.ts";
import { readFrames } from "./sse-frames.ts";
import { LinkedAbort } from "./timeouts.ts";

/** Some events before the next one are no longer kept. */
export interface EventGap {
  readonly type: typeof GAP_EVENT;
}
export type OrchestratorEvent = EventRecord | EventGap;

export interface FollowOptions extends Pick<RetryOptions, "onRetry"> {
  /** The event after which to start; `"start"` gives all that are kept. Left out: only new events. */
  readonly after?: string | undefined;
  /** Called when a lost stream is open again. */
  readonly onReconnect?: (() => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The request for a page of events, or for the events after one. */
type EventFeed = (page: EventsParams) => RequestParams;

/** An ID that sorts before all others: after it come all events that are kept. */
const BEFORE_ALL = "evt_00000000-0000-0000-0000-000000000000";

/** Stored events, the newest first. */
export const listEvents = (
  service: Service,
  feed: EventFeed,
  { pageSize = 200, signal }: { readonly pageSize?: number | undefined; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<EventRecord> =>
  readPages((cursor) => callJson<EventPage>(service, { ...feed({ limit: pageSize, cursor }), signal }));

/** Events as they happen, each once. A lost stream resumes after the last event, also after a daemon restart. */
export async function* followEvents(
  service: Service,
  feed: EventFeed,
  { after, onRetry, onReconnect, signal }: FollowOptions,
): AsyncGenerator<OrchestratorEvent> {
  const abort = new LinkedAbort(signal);
  const newest = async () => {
    for await (const { id } of listEvents(service, feed, { pageSize: 1, signal: abort.signal })) return id;
    return BEFORE_ALL;
  };
  try {
    let last = after === "start" ? BEFORE_ALL : (after ?? (await newest()));
    const open = async () =>
      readRecords((await openStream(service, { ...feed({ lastEventId: last }), signal: abort.signal })).chunks);
    yield* resumableStream<OrchestratorEvent>({
      open: () => withRetries(service, { signal: abort.signal, onRetry }, open),
      reopen: async () => {
        const records = await open();
        onReconnect?.();
        return records;
      },
      advance(event) {
        // A reader without an event yet misses none.
        if (!("id" in event)) return last === BEFORE_ALL ? "duplicate" : "transient";
        if (event.id === last) return "duplicate";
        last = event.id;
        return "new";
      },
      isLast: () => false,
      limits: service.limits,
      signal: abort.signal,
      onRetry,
    });
  } finally {
    abort.dispose();
  }
}

async function* readRecords(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<OrchestratorEvent> {
  for await (const { type, data } of readFrames(chunks))
    yield type === GAP_EVENT ? { type: GAP_EVENT } : parseRecord(data);
}

function parseRecord(data: string): EventRecord {
  try {
    const record: unknown = JSON.parse(data);
    if (typeof record === "object" && record !== null && "id" in record) return record as EventRecord;
  } catch (error) {
    throw new OrchdError({ code: "BAD_ANSWER", message: "an event of the stream is not JSON", cause: error });
  }
  throw new OrchdError({ code: "BAD_ANSWER", message: "an event of the stream is not an event record" });
}
