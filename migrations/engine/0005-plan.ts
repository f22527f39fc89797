/** The agent's own list of steps, one a task: it outlives the part of the transcript that it was made in. */
export const sql = `
create table plan_items (
  task_id text not null,
  position integer not null,
  text text not null,
  status text not null check (status in ('pending', 'in_progress', 'completed', 'cancelled')),
  primary key (task_id, position)
) strict, without rowid;
`;
