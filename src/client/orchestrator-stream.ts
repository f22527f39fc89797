import { type EventRecord, GAP_EVENT } from "../contract/orchestrator-events.ts";
import { type RetryOptions, type Service, openStream, persistently } from "./http-call.ts";
import { OrchdError } from "./orchd-error.ts";
import { resuming } from "./resuming.ts";
import { readFrames } from "./sse-frames.ts";

/** Some events before the next one are no longer kept. */
export interface EventGap {
  readonly type: typeof GAP_EVENT;
}
export type OrchestratorEvent = EventRecord | EventGap;

/** An id before every other: behind it comes all that is kept. */
export const NOTHING_SEEN = "evt_00000000-0000-0000-0000-000000000000";

interface Following extends Pick<RetryOptions, "onRetry"> {
  readonly path: string;
  readonly after: string;
  readonly signal: AbortSignal;
}

/** Events behind `after` as they happen, each once, past restarts of the daemon. */
export function followOrchestrator(
  service: Service,
  { path, after, signal, onRetry }: Following,
): AsyncGenerator<OrchestratorEvent> {
  let last = after;
  const open = async () => {
    const headers = { "Last-Event-ID": last };
    const { chunks } = await openStream(service, { method: "GET", path, headers, signal });
    return readRecords(chunks);
  };
  return resuming<OrchestratorEvent>({
    open: () => persistently(service, { signal, onRetry }, open),
    reopen: open,
    take(event) {
      // Who has seen nothing misses nothing.
      if (!("id" in event)) return last === NOTHING_SEEN ? "seen" : "passing";
      if (event.id === last) return "seen";
      last = event.id;
      return "new";
    },
    isLast: () => false,
    limits: service.limits,
    signal,
    onRetry,
  });
}

async function* readRecords(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<OrchestratorEvent> {
  for await (const { type, data } of readFrames(chunks)) {
    if (type === GAP_EVENT) yield { type: GAP_EVENT };
    else yield recordOf(data);
  }
}

function recordOf(data: string): EventRecord {
  try {
    const record: unknown = JSON.parse(data);
    if (typeof record === "object" && record !== null && "id" in record) return record as EventRecord;
  } catch (error) {
    throw new OrchdError({ code: "CONNECTION_LOST", message: "an event came that is no JSON", cause: error });
  }
  throw new OrchdError({ code: "CONNECTION_LOST", message: "an event came that is no record" });
}
