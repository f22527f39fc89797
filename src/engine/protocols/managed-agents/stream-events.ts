import { sleepingComment } from "../../../contract/engine/sleep.ts";
import type { TaskMessages } from "../../../contract/engine/task.ts";
import { type EngineCalls, eventOf } from "../engine-calls.ts";
import { lastTurn } from "../last-turn.ts";
import type { ProtocolHandler } from "../protocol.ts";
import { SseWriter, eventFrame } from "../sse-writer.ts";
import { type ContentBlock, userBlocks } from "./content-blocks.ts";
import { readQuery } from "./list-query.ts";
import { TurnEvents } from "./turn-events.ts";

const PREVIEWS = ["agent.message", "agent.thinking"];

/**
 * The events of a session from now on. The place is fixed before the response begins, so a client that lists the events
 * after that misses none. It ends when the engine sleeps, unless the daemon's gateway holds it.
 */
export const streamEvents: ProtocolHandler = async ({ request, response, calls }) => {
  const taskId = String(request.params["session_id"]);
  const query = readQuery(calls, request.query, { limit: { fallback: 1, max: 1 } });
  const previews = new Set(query.list("event_deltas"));
  for (const name of previews)
    if (!PREVIEWS.includes(name))
      throw calls.error("INVALID_REQUEST", `event_deltas: expected ${PREVIEWS.join(" or ")}`);
  await calls.call("showTask", { path: { task_id: taskId } });
  let frames = "";
  let isLive = false;
  const put = (event: { readonly type: string }) => {
    if (isLive) frames += eventFrame("message", event);
  };
  const turns = new TurnEvents({
    messages: (turnId) => messagesOf(calls, taskId, turnId),
    event: put,
    preview(event) {
      // A stream that begins within a message has the start of no preview.
      if (previews.has("agent.message")) put(event);
    },
  });
  const resumed = /^\d{1,15}$/.exec(request.headers["last-event-id"]?.toString() ?? "");
  let seq = await readSilently(calls, taskId, { turns, upTo: resumed === null ? Infinity : Number(resumed[0]) });
  if (resumed !== null) seq = Number(resumed[0]);
  const events = calls.read({ taskId, afterSeq: seq, live: true, groups: ["message"] });
  isLive = true;
  const stream = SseWriter.open(response, calls.limits);
  for await (const rows of events) {
    for (const row of rows) {
      const reading = turns.add(eventOf(row));
      if (reading !== undefined) await reading;
    }
    seq = rows.at(-1)?.seq ?? seq;
    turns.settle();
    const text = frames;
    frames = "";
    await stream.write(text);
  }
  if (!calls.gone.aborted) await stream.write(sleepingComment(seq));
  stream.end();
};

/** Brings the turn in flight, or the last one, to its last stored event. Returns the number of that. */
async function readSilently(
  calls: EngineCalls,
  taskId: string,
  { turns, upTo }: { readonly turns: TurnEvents; readonly upTo: number },
): Promise<number> {
  const turnId = (await lastTurn(calls, taskId))?.turn_id;
  let seq = 0;
  if (turnId === undefined) return seq;
  for await (const rows of calls.read({ taskId, turnId, live: false, groups: ["message"] }))
    for (const row of rows)
      if (row.seq <= upTo) {
        await turns.add(eventOf(row));
        seq = row.seq;
      }
  turns.settle();
  return seq;
}

/** The messages of the user in a turn that has begun: it is the last one of its conversation. */
async function messagesOf(
  calls: EngineCalls,
  taskId: string,
  turnId: string,
): Promise<readonly (readonly ContentBlock[])[]> {
  const { items } = await calls.call<TaskMessages>("listMessages", {
    path: { task_id: taskId },
    query: { limit: "50" },
  });
  return items.filter((item) => item.role === "user" && item.turn_id === turnId).map(({ parts }) => userBlocks(parts));
}
