import type { IncomingMessage } from "node:http";
import type { EngineEvent } from "../src/contract/engine-events.ts";
import { CliFailure } from "./exit-codes.ts";
import { splitStream } from "./split-stream.ts";

export interface ReadEvent {
  readonly event: EngineEvent;
  /** Null for heartbeats, which are not stored. */
  readonly seq: number | null;
}

/** The events of a stream, as they come. Ends with the stream; a cut connection throws. */
export async function* readEvents(response: IncomingMessage): AsyncGenerator<ReadEvent> {
  for await (const frame of splitStream(response, "\n\n")) {
    const event = readFrame(frame.split("\n"));
    if (event !== null) yield event;
  }
}

/** Null for a frame without an event, such as a proxy's comment. */
function readFrame(lines: readonly string[]): ReadEvent | null {
  const value = (name: string) =>
    lines
      .find((line) => line.startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trimStart();
  const [type, json] = [value("event"), value("data")];
  if (type === undefined || json === undefined) return null;
  const data = readData(json);
  return {
    event: { event: type, data } as unknown as EngineEvent,
    seq: typeof data.seq === "number" ? data.seq : null,
  };
}

function readData(json: string): { readonly seq?: unknown } {
  try {
    return JSON.parse(json) as { readonly seq?: unknown };
  } catch (error) {
    throw new CliFailure("unexpected", `the engine sent an event that is no JSON (${String(error).slice(0, 100)})`);
  }
}
