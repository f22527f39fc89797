import type { IncomingMessage } from "node:http";
import type { EngineEvent } from "../src/contract/engine-events.ts";
import { readFrames } from "./sse-frames.ts";

export interface ReadEvent {
  readonly event: EngineEvent;
  /** Null for heartbeats, which are not stored. */
  readonly seq: number | null;
}

/** The events of an engine's stream, as they come. Ends with the stream; a cut connection throws. */
export async function* readEvents(response: IncomingMessage): AsyncGenerator<ReadEvent> {
  for await (const { type, data } of readFrames(response)) {
    if (type === null || typeof data !== "object" || data === null) continue;
    yield {
      event: { event: type, data } as unknown as EngineEvent,
      seq: "seq" in data && typeof data.seq === "number" ? data.seq : null,
    };
  }
}
