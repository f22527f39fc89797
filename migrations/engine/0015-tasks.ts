/**
 * Tasks as records, and the branches that their conversations are made of.
 *
 * A message of a task's own conversation (`thread` is empty) belongs to a branch. A conversation is the messages of the
 * task's current branch and of its ancestors, of each ancestor those up to the `through` of the branch below it. A fork
 * is a task with a branch that refers to a branch of another task; a rewind is a new branch of the same task. Ids of
 * messages rise and are never used again, so a conversation is in the order of its ids.
 *
 * `messages_index` is contentless. Its row ids are `branch << 32 | message id`, and the number of a task for its title.
 * Messages are indexed after they were stored, up to `messages_indexed` of `engine_state`.
 *
 * Existing tasks: the title is the first words of the first message; a message has the time of its turn.
 */
export const sql = `
create table tasks (
  number integer primary key,
  task_id text not null unique,
  branch_id integer not null,
  title text not null,
  title_source text not null check (title_source in ('first_words', 'model', 'user')),
  agent text not null,
  created_at integer not null,
  last_active_at integer not null,
  archived integer not null default 0,
  metadata text not null default '{}',
  message_count integer not null default 0,
  input_tokens integer not null default 0,
  output_tokens integer not null default 0,
  cache_hit_tokens integer not null default 0,
  parent_task_id text,
  parent_message integer
) strict;
create index tasks_by_activity on tasks (last_active_at, number, archived);

create table branches (
  branch_id integer primary key autoincrement,
  task_id text not null,
  parent_branch_id integer,
  through integer,
  created_at integer not null,
  check ((parent_branch_id is null) = (through is null))
) strict;
create index branches_of_task on branches (task_id);
create index branches_of_parent on branches (parent_branch_id) where parent_branch_id is not null;

alter table turns add column usage text;
update turns set usage = trajectories.usage from trajectories where trajectories.turn_id = turns.turn_id;

with of_turns as (
  select task_id, min(started_at) as created_at, max(coalesce(ended_at, started_at)) as last_active_at
  from turns group by task_id
), known as (
  select task_id, created_at, last_active_at from of_turns
  union all
  select distinct task_id, unixepoch() * 1000, unixepoch() * 1000 from messages
  where task_id not in (select task_id from of_turns)
), named as (
  select *,
    coalesce((select iif(json_valid(request), request ->> '$.agent', null) from turns
      where turns.task_id = known.task_id order by started_at desc, turn_id desc limit 1), 'default') as agent,
    coalesce((select trim(replace(replace(replace(replace(replace(substr(message, 1, 1000), char(13), ' '), char(10), ' '), char(9), ' '),
        '  ', ' '), '  ', ' ')) from turns
      where turns.task_id = known.task_id order by started_at, turn_id limit 1), '') as words
  from known
)
insert into tasks (task_id, branch_id, title, title_source, agent, created_at, last_active_at, message_count,
  input_tokens, output_tokens, cache_hit_tokens)
select task_id, row_number() over (order by created_at, task_id),
  case
    when length(words) <= 60 then words
    when instr(substr(words, 1, 59), ' ') = 0 then substr(words, 1, 59) || '…'
    else rtrim(rtrim(substr(words, 1, 59), replace(substr(words, 1, 59), ' ', ''))) || '…'
  end,
  'first_words', agent, created_at, last_active_at,
  (select count(*) from (
    select role, lag(role) over (order by id) as previous, lag(turn_id) over (order by id) as previous_turn, turn_id
    from messages where messages.task_id = named.task_id and thread = '')
   where role = 'user' or previous is null or previous = 'user' or previous_turn <> turn_id),
  (select coalesce(sum(usage ->> '$.inputTokens'), 0) from turns where turns.task_id = named.task_id),
  (select coalesce(sum(usage ->> '$.outputTokens'), 0) from turns where turns.task_id = named.task_id),
  (select coalesce(sum(usage ->> '$.cacheHitTokens'), 0) from turns where turns.task_id = named.task_id)
from named order by created_at, task_id;
insert into branches (branch_id, task_id, created_at) select branch_id, task_id, created_at from tasks;

create table branched_messages (
  id integer primary key autoincrement,
  task_id text not null,
  turn_id text not null,
  thread text not null default '',
  branch integer,
  role text not null check (role in ('user', 'assistant', 'tool')),
  created_at integer not null,
  content text not null,
  check ((thread = '') = (branch is not null))
) strict;
insert into branched_messages (id, task_id, turn_id, thread, branch, role, created_at, content)
select id, messages.task_id, messages.turn_id, thread, iif(thread = '', tasks.branch_id, null), role,
  iif(role = 'user', coalesce(started_at, tasks.created_at), coalesce(ended_at, started_at, tasks.created_at)), content
from messages join tasks on tasks.task_id = messages.task_id left join turns on turns.turn_id = messages.turn_id
order by id;
drop table messages;
alter table branched_messages rename to messages;
create index messages_of_branch on messages (branch, id) where branch is not null;
create index messages_of_thread on messages (task_id, thread, id) where thread <> '';
create index messages_of_turn on messages (turn_id, thread);

alter table compactions add column branch integer;
update compactions set branch = (select branch_id from tasks where tasks.task_id = compactions.task_id) where thread = '';
create index compactions_of_branch on compactions (branch, id) where branch is not null;

create virtual table messages_index using fts5 (text, content='', contentless_delete=1, detail=none, tokenize='ascii');
create trigger message_unindexed after delete on messages when old.branch is not null begin
  delete from messages_index where rowid = (old.branch << 32) | old.id;
end;
create trigger title_unindexed after delete on tasks begin
  delete from messages_index where rowid = old.number;
end;
`;
