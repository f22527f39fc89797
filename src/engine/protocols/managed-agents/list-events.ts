import type { TaskMessages } from "../../../contract/engine/task.ts";
import type { TaskMessage } from "../../../contract/engine/task-message.ts";
import { type EngineCalls, eventOf } from "../engine-calls.ts";
import { type ProtocolHandler, sendJson } from "../protocol.ts";
import { userBlocks } from "./content-blocks.ts";
import { readEventId } from "./event-ids.ts";
import { eventsOfMessages } from "./kept-messages.ts";
import { type Query, readQuery } from "./list-query.ts";
import type { SessionEvent } from "./session-event.ts";
import { TurnEvents } from "./turn-events.ts";

const LIMIT = { fallback: 100, max: 1000 };
const MESSAGES = "200";

/** A turn in its conversation, and where the conversation goes on beyond it. */
interface PlacedTurn {
  readonly turnId: string;
  readonly messages: readonly TaskMessage[];
}

/** Where a page begins: at the turn after or before a message, and how many of its events earlier pages have. */
interface Place {
  readonly message: string | null;
  readonly skip: number;
}

/** The events of a session, a page at a time. A turn is read from its stored events, or from its messages after a day. */
export const listEvents: ProtocolHandler = async ({ request, response, calls }) => {
  const taskId = String(request.params["session_id"]);
  const query = readQuery(calls, request.query, { limit: LIMIT, orders: ["asc", "desc"] });
  const order = query.order === "desc" ? "desc" : "asc";
  const place = placeOf(calls, query.page);
  const types = new Set(query.list("types"));
  const fits = (event: SessionEvent) =>
    (types.size === 0 || types.has(event.type)) && query.isWithin(event.processed_at);
  const data: SessionEvent[] = [];
  let { message, skip } = place;
  for await (const turn of turnsOf(calls, taskId, { order, from: message })) {
    const all = await eventsOfTurn(calls, taskId, turn);
    const events = order === "asc" ? all : all.toReversed();
    for (const [index, event] of events.entries()) {
      if (index < skip || !fits(event)) continue;
      if (data.length === query.limit) {
        sendJson(response, { data, next_page: pageOf({ message, skip: index }) });
        return;
      }
      data.push(event);
    }
    skip = 0;
    message = (order === "asc" ? turn.messages.at(-1) : turn.messages[0])?.message_id ?? null;
  }
  sendJson(response, { data, next_page: null });
};

/** The turns of a conversation, the oldest or the newest first, after or before a message. */
async function* turnsOf(
  calls: EngineCalls,
  taskId: string,
  { order, from }: { readonly order: "asc" | "desc"; readonly from: string | null },
): AsyncGenerator<PlacedTurn> {
  let at = from ?? (order === "asc" ? "msg_0" : null);
  let open: TaskMessage[] = [];
  for (;;) {
    const place = at === null ? {} : order === "asc" ? { after: at } : { before: at };
    const page = await calls.call<TaskMessages>("listMessages", {
      path: { task_id: taskId },
      query: { limit: MESSAGES, ...place },
    });
    for (const item of order === "asc" ? page.items : page.items.toReversed()) {
      if (open[0] !== undefined && open[0].turn_id !== item.turn_id) {
        yield placed(open);
        open = [];
      }
      if (order === "asc") open.push(item);
      else open.unshift(item);
    }
    at = order === "asc" ? page.after : page.before;
    if (at === null) break;
  }
  if (open.length > 0) yield placed(open);
}

const placed = (messages: readonly TaskMessage[]): PlacedTurn => ({ turnId: messages[0]?.turn_id ?? "", messages });

async function eventsOfTurn(
  calls: EngineCalls,
  taskId: string,
  { turnId, messages }: PlacedTurn,
): Promise<readonly SessionEvent[]> {
  let events: SessionEvent[] = [];
  let isWhole = false;
  const asked = messages.filter(({ role }) => role === "user").map(({ parts }) => userBlocks(parts));
  const turn = new TurnEvents({
    messages: async () => asked,
    event: (event) => events.push(event),
    replaced({ texts, thoughts }) {
      events = events.filter(({ id }) => !isReplaced(id, { text: texts, thinking: thoughts }));
    },
  });
  for await (const rows of calls.read({ taskId, turnId, live: false, groups: ["message"] }))
    for (const row of rows) {
      const event = eventOf(row);
      isWhole ||= event.event === "thread_lifecycle" && event.data.phase === "started";
      if (isWhole) await turn.add(event);
    }
  turn.settle();
  return isWhole ? events : eventsOfMessages(messages);
}

function isReplaced(id: string, from: { readonly text: number; readonly thinking: number }): boolean {
  const [, kind, number] = /^(text|thinking)(\d+)$/.exec(readEventId(id)?.what ?? "") ?? [];
  return kind !== undefined && Number(number) >= from[kind as "text" | "thinking"];
}

const pageOf = ({ message, skip }: Place): string => `${message ?? ""}.${skip}`;

function placeOf(calls: EngineCalls, page: Query["page"]): Place {
  if (page === null) return { message: null, skip: 0 };
  const [, message, skip] = /^(msg_\d{1,15})?\.(\d{1,9})$/.exec(page) ?? [];
  if (skip === undefined) throw calls.error("INVALID_REQUEST", "page: expected the next_page of the page before");
  return { message: message ?? null, skip: Number(skip) };
}
