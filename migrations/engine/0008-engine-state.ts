/**
 * What the engine knows about its own store, by name: that a damaged one was set aside, from where events go on being
 * numbered, how far an erasure or an import has come.
 */
export const sql = `
create table engine_state (
  name text primary key,
  value text not null
) strict, without rowid;

create index working_memory_of_turn on working_memory (turn_id);
`;
