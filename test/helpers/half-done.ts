/** A database of an engine, from the inside or the outside. */
interface Rows {
  prepare(sql: string): { all(value: string): readonly Readonly<Record<string, unknown>>[] };
}

interface Event {
  readonly event: string;
  // Events of any type.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
}

/** Rows of a task that are open while a turn or a command is in progress. */
const OPEN_ROWS = {
  "a running turn": "select turn_id as id from turns where task_id = ?1 and state = 'running'",
  "progress of a call":
    "select tool_call_id as id from tool_calls where turn_id in (select turn_id from turns where task_id = ?1)",
  "an open question": "select request_id as id from hitl_requests where task_id = ?1 and answer is null",
  "an open call of the client":
    "select tool_call_id as id from client_tool_calls where task_id = ?1 and answer is null and closed_as is null",
  "a waiting message": "select message_id as id from inbox where task_id = ?1 and state = 'waiting'",
  "a message without its turn":
    "select id from messages where task_id = ?1 and turn_id not in (select turn_id from turns)",
  "a branch without its parent":
    "select branch_id as id from branches where task_id = ?1 and parent_branch_id not in (select branch_id from branches)",
} as const;

/** What a task in which nothing happens has left open: in its rows, its conversation and its events. */
export function halfDone(db: Rows, taskId: string, events: readonly Event[]): readonly string[] {
  const open = Object.entries(OPEN_ROWS).flatMap(([what, sql]) =>
    db
      .prepare(sql)
      .all(taskId)
      .map(({ id }) => `${what}: ${String(id)}`),
  );
  return [...open, ...unansweredCalls(db, taskId), ...unendedEvents(events)];
}

/** Calls in the conversation without exactly one result. */
function unansweredCalls(db: Rows, taskId: string): readonly string[] {
  const ids = (sql: string) =>
    db
      .prepare(sql)
      .all(taskId)
      .map(({ id }) => String(id));
  const asked = ids(
    `select value ->> '$.id' as id from messages, json_each(content)
     where task_id = ?1 and thread = '' and role = 'assistant' and value ->> '$.kind' = 'tool_use'`,
  );
  const answered = ids(
    `select value ->> '$.id' as id from messages, json_each(content)
     where task_id = ?1 and thread = '' and role = 'tool'`,
  );
  return differences("a call of the conversation", asked, answered);
}

/** Blocks, calls, questions and turns that events begin and do not end, or end twice. */
function unendedEvents(events: readonly Event[]): readonly string[] {
  const of = (type: string, key: (data: Event["data"]) => string) =>
    events.filter(({ event }) => event === type).map(({ data }) => key(data));
  const lifecycle = (isStart: boolean) =>
    events
      .filter(({ event, data }) => event === "thread_lifecycle" && (data.phase === "started") === isStart)
      .map(({ data }) => String(data.turn_id));
  const block = ({ turn_id: turn, block_index: index }: Event["data"]) => `${turn} ${index}`;
  const call = ({ tool_call_id: id }: Event["data"]) => String(id);
  const request = ({ request_id: id }: Event["data"]) => String(id);
  return [
    ...differences("a block", of("content_block_start", block), of("content_block_stop", block)),
    ...differences("a call", of("tool_call", call), of("tool_result", call)),
    ...differences("a question", of("hitl_request", request), of("hitl_resolved", request)),
    ...differences("a turn", lifecycle(true), lifecycle(false)),
  ];
}

function differences(what: string, begun: readonly string[], ended: readonly string[]): readonly string[] {
  const times = (all: readonly string[], id: string) => all.filter((one) => one === id).length;
  return [...new Set([...begun, ...ended])]
    .filter((id) => times(begun, id) !== 1 || times(ended, id) !== 1)
    .map((id) => `${what}: ${id} begun ${times(begun, id)} times, ended ${times(ended, id)} times`);
}
