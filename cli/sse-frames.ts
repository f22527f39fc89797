import type { IncomingMessage } from "node:http";
import { CliFailure } from "./exit-codes.ts";
import { splitStream } from "./split-stream.ts";

/** One frame of an event stream; a comment that keeps the connection alive has no type. */
export interface SseFrame {
  readonly type: string | null;
  readonly id: string | null;
  /** As JSON; null when the frame has none. */
  readonly data: unknown;
}

/** The frames of a stream, as they come. Ends with the stream; a cut connection throws. */
export async function* readFrames(response: IncomingMessage): AsyncGenerator<SseFrame> {
  for await (const frame of splitStream(response, "\n\n")) yield readFrame(frame.split("\n"));
}

function readFrame(lines: readonly string[]): SseFrame {
  const value = (name: string) =>
    lines
      .find((line) => line.startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trimStart() ?? null;
  const json = value("data");
  return { type: value("event"), id: value("id"), data: json === null ? null : readData(json) };
}

function readData(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new CliFailure("unexpected", `an event came that is no JSON (${String(error).slice(0, 100)})`);
  }
}

/** What has a code is the connection's failure, which another connection may mend; anything else is not. */
export const isCut = (error: unknown): error is Error & { readonly code: unknown } =>
  error instanceof Error && !(error instanceof CliFailure) && "code" in error;
