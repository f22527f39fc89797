/** Events, messages, tool calls and human requests of turns. Times are ms since the epoch. */
export const sql = `
create table events (
  last_seq integer primary key,
  last_ts integer not null unique,
  task_id text not null,
  turn_id text not null,
  lines text not null
) strict;
create index events_of_task on events (task_id, last_seq);
create index events_of_turn on events (turn_id, last_seq);

create table turns (
  turn_id text primary key,
  task_id text not null,
  state text not null check (state in ('running', 'completed', 'errored')),
  message text not null,
  metadata text not null,
  error_code text,
  started_at integer not null,
  ended_at integer
) strict;
create unique index one_running_turn on turns (task_id) where state = 'running';
create index turns_of_task on turns (task_id, started_at);

create table messages (
  id integer primary key,
  task_id text not null,
  turn_id text not null,
  role text not null check (role in ('user', 'assistant', 'tool')),
  content text not null
) strict;
create index messages_of_task on messages (task_id, id);

create table hitl_requests (
  request_id text primary key,
  task_id text not null,
  turn_id text not null,
  tool_call_id text not null,
  kind text not null check (kind in ('question', 'permission')),
  question text not null,
  context text not null,
  options text not null,
  allow_free_text integer not null,
  created_at integer not null,
  answer text,
  resolved_at integer
) strict;
create index hitl_requests_open on hitl_requests (created_at) where resolved_at is null;

create table grants (
  id integer primary key,
  tool text not null,
  pattern text not null,
  task_id text,
  created_at integer not null
) strict;

create table working_memory (
  id integer primary key,
  task_id text not null,
  turn_id text not null,
  entry_type text not null check (entry_type in ('note', 'observation', 'summary')),
  content text not null,
  created_at integer not null
) strict;

create table idempotency_keys (
  key text primary key,
  body_hash text not null,
  turn_id text not null,
  created_at integer not null
) strict;
`;
