/** What learning adds to a round: by what else it is to be found. And the ways by which it reads. */
export const sql = `
alter table episodes add column keys text not null default '';
create index knowledge_closed on knowledge (hash) where recorded_to is not null;
create index trajectories_of_task on trajectories (task_id, number);
`;
