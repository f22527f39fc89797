/** The agent's plan, one per task. It survives compaction. */
export const sql = `
create table plan_items (
  task_id text not null,
  position integer not null,
  text text not null,
  status text not null check (status in ('pending', 'in_progress', 'completed', 'cancelled')),
  primary key (task_id, position)
) strict, without rowid;
`;
