import type { ServerResponse } from "node:http";
import type { ClientLimits } from "../../src/client/limits.ts";
import type { TurnEvent } from "../../src/client/turn-event.ts";

export type Sent = readonly [event: string, data: Record<string, unknown>];

export const STARTED: Sent = ["thread_lifecycle", { phase: "started" }];
export const COMPLETED: Sent = ["thread_lifecycle", { phase: "completed" }];
export const HEARTBEAT: Sent = ["heartbeat", { now: "2026-11-01T12:00:00.000Z" }];
export const text = (words: string): Sent => ["text_delta", { text: words }];
export const failed = (error: string, details?: Record<string, unknown>): readonly Sent[] => [
  ["thread_lifecycle", { phase: "errored", error, message: "it failed" }],
  ["error", { error, message: "it failed", ...(details && { details }) }],
];

/** Waits that do not make a test wait. */
export const QUICK: Partial<ClientLimits> = { backoffMs: 1, reconnectMs: Array<number>(6).fill(1), deadlineMs: 10_000 };

/** Frames as the engine writes them, numbered from `firstSeq` on. */
export function frames(events: readonly Sent[], { firstSeq = 1, turnId = "turn_1" } = {}): string {
  return events
    .map(([event, data], index) => {
      const stamp = { ts: "2026-11-01T12:00:00.000Z", seq: firstSeq + index, task_id: "t", turn_id: turnId };
      return `event: ${event}\ndata: ${JSON.stringify(event === "heartbeat" ? data : { ...data, ...stamp })}\n\n`;
    })
    .join("");
}

export function open(response: ServerResponse, headers: Record<string, string> = {}): void {
  response.writeHead(200, { "content-type": "text/event-stream", "x-turn-id": "turn_1", ...headers });
  response.flushHeaders();
}

/** Everything read, and what ended it. */
export async function readAll(
  turn: AsyncIterable<TurnEvent>,
): Promise<{ readonly events: readonly TurnEvent[]; readonly error: unknown }> {
  const events: TurnEvent[] = [];
  try {
    for await (const event of turn) events.push(event);
    return { events, error: null };
  } catch (error) {
    return { events, error };
  }
}

export const seqs = (events: readonly TurnEvent[]) => events.map(({ data }) => ("seq" in data ? data.seq : null));

/** A `fetch` whose `n`th stream is cut after so many bytes; past the list they come whole. */
export function cuttingFetch(cuts: readonly number[]): typeof fetch {
  const left = [...cuts];
  return async (input, init) => {
    const response = await fetch(input, init);
    const cut = response.headers.get("content-type")?.startsWith("text/event-stream") ? left.shift() : undefined;
    if (cut === undefined || response.body === null) return response;
    return new Response(response.body.pipeThrough(cutter(cut)), { headers: response.headers });
  };
}

function cutter(bytes: number): TransformStream<Uint8Array, Uint8Array> {
  let left = bytes;
  return new TransformStream({
    transform(chunk, controller) {
      if (left > 0) controller.enqueue(chunk.subarray(0, left));
      left -= chunk.length;
      if (left < 0) controller.error(new TypeError("terminated"));
    },
    flush: () => undefined,
  });
}
