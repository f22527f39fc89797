/** How a conversation is shown since it was made smaller; the last of each counts. Messages are never taken away. */
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
