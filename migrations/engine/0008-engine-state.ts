/**
 * Named values about the store itself: a damaged store that was moved aside, the floor of event numbers, the progress of
 * an erasure or an import.
 */
export const sql = `
create table engine_state (
  name text primary key,
  value text not null
) strict, without rowid;

create index working_memory_of_turn on working_memory (turn_id);
`;
