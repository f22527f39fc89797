/**
 * State to resume a turn after a restart: its request options, the resumes since its last step, the content blocks of
 * stored answers; tool calls of running turns and their progress; nested conversations (`thread`); unanswered requests.
 */
export const sql = `
alter table turns add column request text not null default '{}';
alter table turns add column resumes integer not null default 0;
alter table turns add column blocks integer not null default 0;

alter table messages add column thread text not null default '';
drop index messages_of_task;
create index messages_of_thread on messages (task_id, thread, id);
create index messages_of_turn on messages (turn_id, thread);

create table tool_calls (
  id integer primary key,
  turn_id text not null,
  thread text not null,
  step integer not null,
  tool_call_id text not null,
  tool text not null,
  input text,
  raw_input text not null,
  state text not null check (state in ('planned', 'started', 'finished')),
  output text,
  is_error integer,
  unique (turn_id, tool_call_id)
) strict;

alter table hitl_requests add column lapsed integer not null default 0;
create index hitl_requests_of_call on hitl_requests (turn_id, tool_call_id, created_at);
`;
