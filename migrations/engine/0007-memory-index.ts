/**
 * What search reads, all of which can be made again from the rows it is about. The index keeps no text: its rows bear
 * the number of an episode, a fact or a note, raised by what kind it is (as in memory/index-rows.ts), and its words
 * come from memory/index-text.ts. What is deleted is not found any more, whoever deleted it.
 *
 * `recalls` is what a turn was shown of the memory, byte for byte, beside its user's message.
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
