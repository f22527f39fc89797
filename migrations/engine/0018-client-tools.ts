/** Calls that the client runs, with their answers; and the tools that a conversation has loaded, in this order. */
export const sql = `
create table client_tool_calls (
  tool_call_id text primary key,
  task_id text not null,
  turn_id text not null,
  tool text not null,
  input text not null,
  output_schema text,
  agent text,
  parent_tool_call_id text,
  created_at integer not null,
  answer text,
  closed_as text check (closed_as in ('cancelled', 'expired')),
  resolved_at integer
) strict;
create index client_tool_calls_open on client_tool_calls (created_at) where resolved_at is null;
create index client_tool_calls_resolved on client_tool_calls (resolved_at) where resolved_at is not null;

create table loaded_tools (
  id integer primary key,
  task_id text not null,
  thread text not null,
  tool text not null,
  unique (task_id, thread, tool)
) strict;
`;
