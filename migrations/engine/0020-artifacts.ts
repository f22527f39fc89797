/**
 * Versions of files that the agent has published. Their contents are those of the checkpoints, by `digest`. Not unique by
 * version: what a deleted task leaves to its fork may have the same.
 */
export const sql = `
create table artifacts (
  id integer primary key,
  artifact_id text not null unique,
  task_id text not null,
  turn_id text not null,
  path text not null,
  title text not null,
  version integer not null,
  bytes integer not null,
  digest text not null,
  media_type text not null,
  created_at integer not null
) strict;
create index artifacts_of_task on artifacts (task_id, path, version);
create index artifacts_of_content on artifacts (digest);
create index artifacts_of_turn on artifacts (turn_id);
`;
