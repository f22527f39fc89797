import type { IncomingMessage } from "node:http";
import { outlivesTurns } from "../../contract/engine/protocol-routes.ts";
import { ENGINE_ROUTES } from "../../contract/engine/routes.ts";
import { SLEEPING_COMMENT, sleepingComment } from "../../contract/engine/sleep.ts";
import { sendChunks } from "../../shared/http/send-chunks.ts";
import { type Exchange, relayHead } from "./upstream-call.ts";

/** Shows that the client is there, and keeps proxies from closing an idle stream. As often as an engine's heartbeats. */
const HEARTBEAT_MS = 15_000;
/** Longer than the comment. */
const TAIL_BYTES = 64;

/** A call for the rest of a stream. */
export interface ResumedCall {
  /** Its path with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface HoldOptions {
  readonly exchange: Exchange;
  /** The path and query at the engine. */
  readonly target: string;
  readonly changeHeaders: Parameters<typeof relayHead>[2];
  /** Waits until the engine runs again, without waking it, and repeats the call. Null when the stream is to end. */
  readonly reopen: (call: ResumedCall) => Promise<IncomingMessage | null>;
}

/** The events of turns, and the list of tasks: one that is followed again begins with its first page. */
const HELD: ReadonlySet<string> = new Set([ENGINE_ROUTES.replay.path, ENGINE_ROUTES.listTasks.path]);

/** Whether a response may end with the comment that its engine sleeps. */
export const mayBeHeld = ({ request }: Exchange, target: string, answer: IncomingMessage): boolean =>
  request.method === "GET" &&
  (HELD.has(pathOf(target).toLowerCase()) || outlivesTurns(pathOf(target))) &&
  isEventStream(answer) &&
  request.headers["transfer-encoding"] === undefined &&
  !(Number(request.headers["content-length"]) > 0);

/**
 * Streams a follower's events to the client like `relayResponse`. When the engine sleeps, the client's stream stays open,
 * and goes on after the last event once something else has woken the engine: without a gap or a duplicate.
 */
export async function holdStream(first: IncomingMessage, options: HoldOptions): Promise<"answered" | "cut"> {
  const { response } = options.exchange;
  relayHead(first, response, options.changeHeaders);
  try {
    await sendChunks(response, chunksOf(first, options));
  } catch {
    // The connection to the engine was lost.
    response.destroy();
  }
  return response.writableEnded ? "answered" : "cut";
}

/** Whether a repeated call was answered with the rest of the stream. Events that are no longer stored would be a gap. */
export const continues = (answer: IncomingMessage): boolean =>
  answer.statusCode === 200 && isEventStream(answer) && answer.headers["x-truncated"] !== "true";

/** The chunks of all responses, the next one after each sleep. */
async function* chunksOf(first: IncomingMessage, { exchange, target, reopen }: HoldOptions): AsyncGenerator<Buffer> {
  for (let answer: IncomingMessage | null = first; answer !== null;) {
    let tail = "";
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      tail = (tail + chunk.subarray(-TAIL_BYTES).toString("latin1")).slice(-TAIL_BYTES);
      yield chunk;
    }
    const seq = SLEEPING_COMMENT.exec(tail)?.[1];
    if (seq === undefined) return;
    const afterSeq = Number(seq);
    const heartbeat = setInterval(() => exchange.response.write(sleepingComment(afterSeq)), HEARTBEAT_MS);
    answer = await reopen(resumedCall(exchange, target, afterSeq)).finally(() => clearInterval(heartbeat));
  }
}

/** `Last-Event-ID` asks for `id:` lines, unless `ids` is 0. */
function resumedCall({ request }: Exchange, target: string, afterSeq: number): ResumedCall {
  const path = pathOf(target);
  const parameters = new URLSearchParams(target.slice(path.length));
  if (parameters.get("ids") !== "1" && request.headers["last-event-id"] === undefined) parameters.set("ids", "0");
  const text = parameters.toString();
  return { path: text === "" ? path : `${path}?${text}`, headers: { "last-event-id": String(afterSeq) } };
}

const pathOf = (target: string): string => target.split("?")[0] ?? "";
const isEventStream = ({ headers }: IncomingMessage): boolean =>
  headers["content-type"]?.startsWith("text/event-stream") ?? false;
