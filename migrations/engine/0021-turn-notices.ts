/**
 * What the daemon is to tell the product of turns and tasks, until it has it. Triggers write a row in the transaction of
 * what it tells, whoever makes the change. Numbers are never used again.
 */
export const sql = `
create table turn_notices (
  seq integer primary key autoincrement,
  type text not null check (type in ('turn.completed', 'turn.failed', 'turn.cancelled', 'turn.waiting', 'task.titled')),
  task_id text not null,
  turn_id text,
  -- Of turn.waiting: what it waits for. Of turn.failed: the code of its error.
  request_id text,
  error text,
  at integer not null
) strict;

create trigger turn_ended after update of state on turns when old.state = 'running' and new.state <> 'running' begin
  insert into turn_notices (type, task_id, turn_id, error, at) values (
    case when new.error_code is null then 'turn.completed' when new.error_code = 'CANCELLED' then 'turn.cancelled'
      else 'turn.failed' end,
    new.task_id, new.turn_id, nullif(new.error_code, 'CANCELLED'), coalesce(new.ended_at, unixepoch() * 1000)
  );
end;
create trigger person_asked after insert on hitl_requests begin
  insert into turn_notices (type, task_id, turn_id, request_id, at)
  values ('turn.waiting', new.task_id, new.turn_id, new.request_id, new.created_at);
end;
create trigger client_asked after insert on client_tool_calls begin
  insert into turn_notices (type, task_id, turn_id, request_id, at)
  values ('turn.waiting', new.task_id, new.turn_id, new.tool_call_id, new.created_at);
end;
create trigger task_titled after update of title on tasks when new.title_source = 'model' begin
  insert into turn_notices (type, task_id, at)
  values ('task.titled', new.task_id, cast(unixepoch('subsec') * 1000 as integer));
end;
`;
