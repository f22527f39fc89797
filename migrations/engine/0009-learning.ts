/** Search keys that learning adds to a round, and the indexes that learning reads by. */
export const sql = `
alter table episodes add column keys text not null default '';
create index knowledge_closed on knowledge (hash) where recorded_to is not null;
create index trajectories_of_task on trajectories (task_id, number);
`;
