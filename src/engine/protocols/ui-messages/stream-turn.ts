import { setTimeout as sleep } from "node:timers/promises";
import type { ShownTurn } from "../../../contract/engine/turn.ts";
import type { EventRow, Events } from "../engine-calls.ts";
import type { ProtocolCall } from "../protocol.ts";
import { SseWriter, dataFrame } from "../sse-writer.ts";
import { type Answers, deliver } from "./ui-answers.ts";
import type { Chunk } from "./chunks.ts";
import { lookUp } from "./look-up.ts";
import { TurnChunks } from "./turn-chunks.ts";

const HEADERS = { "x-vercel-ai-ui-message-stream": "v1" };
/** How long a turn that waits for a client's tool says nothing before the stream ends: other calls may run beside it. */
const QUIET_MS = 20;
/** The events on request that are translated. */
export const GROUPS = ["message", "tool_input", "model", "file"] as const;

export interface StreamedTurn {
  readonly taskId: string;
  /** Null while the message waits. */
  readonly turnId: string | null;
  readonly events: Events;
  /** What the client has of the message. Omitted: nothing. */
  readonly from?: { readonly seq: number; readonly isAtStep: boolean };
  readonly answers?: Answers;
  /** Whether the client has brought no answer, although it sends the message back. */
  readonly isUnanswered?: boolean;
  /** Runs when the client leaves before the end. */
  readonly whenLeft?: () => unknown;
}

/**
 * Streams a turn as one message, to its end or until it waits for the client, who then sends the message back with its
 * answers.
 */
export async function streamTurn({ response, calls }: ProtocolCall, turn: StreamedTurn): Promise<void> {
  const stream = SseWriter.open(response, calls.limits, HEADERS);
  const send = (chunks: readonly Chunk[]) => stream.write(chunks.map(dataFrame).join(""));
  const state = { turnId: turn.turnId };
  try {
    await sendChunks({ calls, send, state }, turn);
  } catch (error) {
    if (calls.gone.aborted) return;
    await send([{ type: "error", errorText: calls.described(error).message }]);
  }
  if (calls.gone.aborted) {
    turn.whenLeft?.();
    return;
  }
  await stream.write("data: [DONE]\n\n");
  stream.end();
}

interface Sending {
  readonly calls: ProtocolCall["calls"];
  readonly send: (chunks: readonly Chunk[]) => Promise<void>;
  readonly state: { turnId: string | null };
}

async function sendChunks({ calls, send, state }: Sending, turn: StreamedTurn): Promise<void> {
  const { taskId, from, answers = new Map() } = turn;
  const chunks = new TurnChunks();
  const batches = turn.events[Symbol.asyncIterator]();
  const next = () => {
    const coming = batches.next();
    // It is awaited below, unless the stream ends before.
    coming.catch(() => undefined);
    return coming;
  };
  let hasBegun = false;
  let isNew = !turn.isUnanswered;
  for (let coming = next(); ;) {
    if (chunks.waitsFor !== null && (await isQuiet(coming))) {
      if ((await deliver(calls, taskId, answers)) > 0) continue;
      // A client that sends by itself would send the same message again and again.
      if (await waits(calls, state.turnId)) return send(isNew ? chunks.pause() : [UNANSWERED]);
      await sleep(QUIET_MS);
      continue;
    }
    const { done, value: rows } = await coming;
    if (done === true) return undefined;
    coming = next();
    const [first] = rows;
    if (first !== undefined && !hasBegun) {
      hasBegun = true;
      state.turnId = first.turnId;
      await send(beginning(first, turn));
    }
    const pieces = chunks.take(rows, { ...(from && { silentTo: from.seq }) });
    isNew ||= pieces.length > 0;
    if (pieces.length > 0) await send(await lookUp(calls, taskId, pieces));
  }
}

const UNANSWERED: Chunk = { type: "error", errorText: "the turn waits for an answer that the message does not have" };

/** The message is named for its turn. What a message that entered a running turn is answered with is a message of its own. */
function beginning({ turnId, type, seq }: EventRow, { from }: StreamedTurn): readonly Chunk[] {
  const messageId = type === "thread_lifecycle" ? turnId : `${turnId}.${seq}`;
  const start = { type: "start", messageId, messageMetadata: { turn_id: turnId, status: "running" } };
  return from?.isAtStep ? [start, { type: "reset-step" }] : [start];
}

const isQuiet = (coming: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    coming.then(
      () => false,
      () => false,
    ),
    sleep(QUIET_MS, true),
  ]);

async function waits(calls: ProtocolCall["calls"], turnId: string | null): Promise<boolean> {
  if (turnId === null) return false;
  const { state } = await calls.call<ShownTurn>("showTurn", { path: { turn_id: turnId } });
  return state === "waiting_for_human";
}
