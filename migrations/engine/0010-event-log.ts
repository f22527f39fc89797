/**
 * The append-only event log. Times rise with numbers, so a time is found by binary search. `place` is the id of a task or
 * a turn that has events in a stretch of 1024 numbers.
 */
export const sql = `
create table event_log (
  last_seq integer primary key,
  last_ts integer not null,
  task_id text not null,
  turn_id text not null,
  lines text not null
) strict;
insert into event_log select last_seq, last_ts, task_id, turn_id, lines from events order by last_seq;
drop table events;
alter table event_log rename to events;

create table event_places (
  place text not null,
  stretch integer not null,
  primary key (place, stretch)
) strict, without rowid;
insert or ignore into event_places select task_id, last_seq / 1024 from events;
insert or ignore into event_places select turn_id, last_seq / 1024 from events;
`;
