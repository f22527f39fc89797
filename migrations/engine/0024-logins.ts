/** Questions of the kind `login`. SQLite cannot change a check, so the table is made anew. */
export const sql = `
create table hitl_requests_new (
  request_id text primary key,
  task_id text not null,
  turn_id text not null,
  tool_call_id text not null,
  kind text not null check (kind in ('question', 'permission', 'login')),
  question text not null,
  context text not null,
  options text not null,
  allow_free_text integer not null,
  created_at integer not null,
  answer text,
  resolved_at integer,
  lapsed integer not null default 0
) strict;
insert into hitl_requests_new (rowid, request_id, task_id, turn_id, tool_call_id, kind, question, context, options,
  allow_free_text, created_at, answer, resolved_at, lapsed)
select rowid, request_id, task_id, turn_id, tool_call_id, kind, question, context, options, allow_free_text, created_at,
  answer, resolved_at, lapsed from hitl_requests;
drop table hitl_requests;
alter table hitl_requests_new rename to hitl_requests;
create index hitl_requests_open on hitl_requests (created_at) where resolved_at is null;
create index hitl_requests_of_call on hitl_requests (turn_id, tool_call_id, created_at);
create trigger person_asked after insert on hitl_requests begin
  insert into turn_notices (type, task_id, turn_id, request_id, at)
  values ('turn.waiting', new.task_id, new.turn_id, new.request_id, new.created_at);
end;
`;
