/**
 * What calls changed in the workspace, for a rewind of their task. `message_id`: the last message of the store before the
 * change. `before` and `after` are states as JSON. Contents are files named by their SHA-256; `used` is the last change that
 * refers to one. A call in `incomplete_comparisons` may have changed files that no row of `file_changes` has.
 */
export const sql = `
create table file_changes (
  id integer primary key,
  task_id text not null,
  turn_id text not null,
  tool_call_id text not null,
  message_id integer not null,
  path text not null,
  before text not null,
  after text not null,
  overlaps integer not null
) strict;
create index file_changes_of_task on file_changes (task_id, message_id);
create index file_changes_of_path on file_changes (path, id);
create index file_changes_from on file_changes (before ->> '$.digest') where before ->> '$.digest' is not null;
create index file_changes_to on file_changes (after ->> '$.digest') where after ->> '$.digest' is not null;

create table checkpoint_contents (
  digest text primary key,
  bytes integer not null,
  used integer not null
) strict, without rowid;
create index checkpoint_contents_by_use on checkpoint_contents (used);

create table incomplete_comparisons (
  id integer primary key,
  task_id text not null,
  turn_id text not null,
  tool_call_id text not null,
  message_id integer not null,
  reason text not null
) strict;
create index incomplete_comparisons_of_task on incomplete_comparisons (task_id, message_id);
`;
