/**
 * Messages of callers that name one or may wait. A waiting row has its `content` and the `options` of its turn; a taken or
 * removed one is kept for a day, so that a repeated call finds it.
 */
export const sql = `
create table inbox (
  id integer primary key,
  task_id text not null,
  message_id text not null,
  body_hash text not null,
  when_busy text not null check (when_busy in ('reject', 'queue', 'steer')),
  state text not null check (state in ('waiting', 'taken', 'removed')),
  content text,
  options text,
  created_at integer not null,
  turn_id text,
  ended_at integer,
  unique (task_id, message_id)
) strict;

create index inbox_waiting on inbox (task_id, id) where state = 'waiting';
`;
