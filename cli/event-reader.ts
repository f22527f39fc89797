import type { IncomingMessage } from "node:http";
import type { EngineEvent } from "../src/contract/engine-events.ts";

export interface ReadEvent {
  readonly event: EngineEvent;
  /** Null for heartbeats, which are not stored. */
  readonly seq: number | null;
  /** The data as it came. */
  readonly data: Readonly<Record<string, unknown>>;
}

const MAX_FRAME = 16 * 1024 * 1024;

/** The events of a stream, as they come. Ends with the stream; a cut connection throws. */
export async function* readEvents(response: IncomingMessage): AsyncGenerator<ReadEvent> {
  let rest = "";
  for await (const chunk of response.setEncoding("utf8")) {
    const frames = (rest + String(chunk)).split("\n\n");
    rest = frames.pop() ?? "";
    if (rest.length > MAX_FRAME) throw new Error("an event of the stream is too long");
    for (const frame of frames) {
      const event = readFrame(frame);
      if (event !== null) yield event;
    }
  }
}

function readFrame(frame: string): ReadEvent | null {
  const lines = frame.split("\n");
  const value = (name: string) =>
    lines
      .find((line) => line.startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trimStart();
  const [type, json] = [value("event"), value("data")];
  if (type === undefined || json === undefined) return null;
  const data = JSON.parse(json) as Record<string, unknown>;
  const seq = typeof data["seq"] === "number" ? data["seq"] : null;
  return { event: { event: type, data } as unknown as EngineEvent, seq, data };
}
