/**
 * The full-text index, which can be rebuilt from the indexed rows. It is contentless: its row ids are the number of an
 * episode, fact or note plus an offset per kind (memory/search/index-rows.ts), its terms come from
 * src/shared/words/index-text.ts. Triggers remove deleted rows from it.
 *
 * `recalls` has the block of memories that a turn was shown, byte for byte.
 */
export const sql = `
create virtual table memory_index using fts5 (keys, title, body, content='', contentless_delete=1, tokenize='ascii');

create table memory_embeddings (
  item integer not null,
  model text not null,
  vector blob not null,
  primary key (item, model)
) strict, without rowid;

create trigger episode_unindexed after delete on episodes begin
  delete from memory_index where rowid = old.number;
  delete from memory_embeddings where item = old.number;
end;
create trigger fact_unindexed after delete on knowledge begin
  delete from memory_index where rowid in (old.number + 1099511627776, old.number + 2199023255552);
  delete from memory_embeddings where item in (old.number + 1099511627776, old.number + 2199023255552);
end;
create trigger note_unindexed after delete on working_memory begin
  delete from memory_index where rowid = old.id + 3298534883328;
  delete from memory_embeddings where item = old.id + 3298534883328;
end;

create table recalls (
  turn_id text primary key,
  block text not null,
  trust integer not null check (trust between 0 and 3),
  created_at integer not null
) strict, without rowid;
`;
