/**
 * Vectors of rounds, current facts and notes, by their row in the full-text index: one byte a dimension, and the signs alone,
 * which a search compares first. A vector whose generation is not the current one (engine_state, `embeddings`) is of another
 * model, and is made again. What waits for its vector is in `embedding_queue`, also while no model is set.
 *
 * Vectors of earlier releases are dropped. Triggers cannot be changed, so those that remove deleted rows are made anew.
 */
export const sql = `
drop trigger episode_unindexed;
drop trigger fact_unindexed;
drop trigger note_unindexed;
drop table memory_embeddings;

create table embedding_vectors (item integer primary key, vector blob not null) strict;
create table embedding_signs (item integer primary key, generation integer not null, signs blob not null) strict;
create table embedding_queue (item integer primary key) strict;

create trigger episode_stored after insert on episodes begin
  insert or ignore into embedding_queue (item) values (new.number);
end;
create trigger episode_changed after update of question, answer on episodes
when old.question <> new.question or old.answer <> new.answer begin
  insert or ignore into embedding_queue (item) values (new.number);
end;
create trigger episode_unindexed after delete on episodes begin
  delete from memory_index where rowid = old.number;
  delete from embedding_queue where item = old.number;
  delete from embedding_signs where item = old.number;
  delete from embedding_vectors where item = old.number;
end;

create trigger fact_stored after insert on knowledge when new.recorded_to is null begin
  insert or ignore into embedding_queue (item) values (new.number + 1099511627776);
end;
create trigger fact_changed after update of content on knowledge
when new.recorded_to is null and old.content <> new.content begin
  insert or ignore into embedding_queue (item) values (new.number + 1099511627776);
end;
create trigger fact_closed after update of recorded_to on knowledge when new.recorded_to is not null begin
  delete from embedding_queue where item = new.number + 1099511627776;
  delete from embedding_signs where item = new.number + 1099511627776;
  delete from embedding_vectors where item = new.number + 1099511627776;
end;
create trigger fact_unindexed after delete on knowledge begin
  delete from memory_index where rowid in (old.number + 1099511627776, old.number + 2199023255552);
  delete from embedding_queue where item = old.number + 1099511627776;
  delete from embedding_signs where item = old.number + 1099511627776;
  delete from embedding_vectors where item = old.number + 1099511627776;
end;

create trigger note_stored after insert on working_memory begin
  insert or ignore into embedding_queue (item) values (new.id + 3298534883328);
end;
create trigger note_unindexed after delete on working_memory begin
  delete from memory_index where rowid = old.id + 3298534883328;
  delete from embedding_queue where item = old.id + 3298534883328;
  delete from embedding_signs where item = old.id + 3298534883328;
  delete from embedding_vectors where item = old.id + 3298534883328;
end;

insert into embedding_queue (item)
  select number from episodes union all
  select number + 1099511627776 from knowledge where recorded_to is null union all
  select id + 3298534883328 from working_memory;
`;
