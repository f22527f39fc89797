/**
 * Memory beyond conversations. Times are ms since the epoch. `trust` is 3 for the user's statements, 2 for the engine's
 * own tools, 1 for a model's conclusions, 0 for external content; derived rows have the least trust of their sources.
 *
 * An episode is a round: a question and its answer. A fact is bitemporal: valid from `valid_from` to `valid_to`, recorded
 * from `recorded_from` to `recorded_to`. A superseded fact is closed, never deleted. A trajectory has the tool calls and
 * outcome of a turn; without a `batch_id`, no learning batch has read it.
 */
export const sql = `
create table episodes (
  number integer primary key,
  id text not null unique,
  task_id text not null,
  turn_id text not null unique,
  key text not null,
  description text not null,
  question text not null,
  answer text not null,
  importance integer not null check (importance between 1 and 10),
  source text not null,
  trust integer not null check (trust between 0 and 3),
  event_time integer not null,
  created_at integer not null
) strict;
create index episodes_by_time on episodes (event_time);

create table knowledge (
  number integer primary key,
  id text not null unique,
  content text not null,
  subject text not null,
  predicate text not null,
  object text not null,
  hash text not null,
  importance integer not null check (importance between 1 and 10),
  confidence real not null check (confidence between 0 and 1),
  source text not null,
  trust integer not null check (trust between 0 and 3),
  valid_from integer,
  valid_to integer,
  recorded_from integer not null,
  recorded_to integer,
  superseded_by text references knowledge (id)
) strict;
create unique index knowledge_live on knowledge (hash) where recorded_to is null;
create index knowledge_about on knowledge (subject, predicate) where recorded_to is null;

create table knowledge_evidence (
  knowledge_id text not null references knowledge (id) on delete cascade,
  episode_id text not null references episodes (id) on delete cascade,
  primary key (knowledge_id, episode_id)
) strict, without rowid;
create index evidence_of_episode on knowledge_evidence (episode_id);

create table social_nodes (
  number integer primary key,
  id text not null unique,
  name text not null,
  type text not null,
  summary text not null,
  trust integer not null check (trust between 0 and 3),
  mentions integer not null,
  first_seen integer not null,
  last_seen integer not null
) strict;

create table social_aliases (
  alias text not null,
  node_id text not null references social_nodes (id) on delete cascade,
  primary key (alias, node_id)
) strict, without rowid;

create table social_edges (
  number integer primary key,
  id text not null unique,
  from_node text not null references social_nodes (id) on delete cascade,
  to_node text not null references social_nodes (id) on delete cascade,
  relation text not null,
  trust integer not null check (trust between 0 and 3),
  valid_from integer,
  valid_to integer,
  recorded_from integer not null,
  recorded_to integer
) strict;
create unique index social_edges_live on social_edges (from_node, to_node, relation) where recorded_to is null;
create index social_edges_to on social_edges (to_node);

create table social_mentions (
  node_id text not null references social_nodes (id) on delete cascade,
  ref text not null,
  primary key (node_id, ref)
) strict, without rowid;
create index mentions_in on social_mentions (ref);

create table learning_batches (
  number integer primary key,
  id text not null unique,
  started_at integer not null,
  ended_at integer,
  counts text not null default '{}',
  error text
) strict;

create table trajectories (
  number integer primary key,
  id text not null unique,
  task_id text not null,
  turn_id text not null unique,
  outcome text not null check (outcome in ('completed', 'errored')),
  error_code text,
  steps text not null,
  usage text not null,
  trust integer not null check (trust between 0 and 3),
  duration_ms integer not null,
  created_at integer not null,
  batch_id text
) strict;
create index trajectories_to_learn on trajectories (number) where batch_id is null;

create table skill_drafts (
  number integer primary key,
  id text not null unique,
  name text not null unique,
  signature text not null unique,
  body text not null,
  trust integer not null check (trust between 0 and 3),
  state text not null check (state in ('proposed', 'allowed', 'refused')),
  trajectories text not null,
  created_at integer not null,
  decided_at integer
) strict;
`;
