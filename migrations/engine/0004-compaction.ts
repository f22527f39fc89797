/** Compaction records; the last one of a conversation applies. Messages are never deleted. */
export const sql = `
create table compactions (
  id integer primary key,
  task_id text not null,
  thread text not null,
  turn_id text not null,
  strategy text not null check (strategy in ('structured_extraction', 'summary')),
  record text not null,
  created_at integer not null
) strict;
create index compactions_of_thread on compactions (task_id, thread, id);
`;
