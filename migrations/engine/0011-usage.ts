/** What the engine has spent, by UTC day and model. Of turns, provider and model are empty. */
export const sql = `
create table usage_days (
  day text not null,
  provider text not null,
  model text not null,
  revision integer not null,
  model_calls integer not null default 0,
  estimated_calls integer not null default 0,
  input_tokens integer not null default 0,
  output_tokens integer not null default 0,
  cache_read_tokens integer not null default 0,
  cache_write_tokens integer not null default 0,
  turns integer not null default 0,
  failed_turns integer not null default 0,
  tool_calls integer not null default 0,
  turn_ms integer not null default 0,
  primary key (day, provider, model)
) strict, without rowid;
create unique index usage_days_revision on usage_days (revision);
`;
