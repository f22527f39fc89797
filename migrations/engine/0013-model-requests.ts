/** Requests to models as they were sent, for a day. `request` is compressed; `bytes` is its size. */
export const sql = `
create table model_requests (
  id integer primary key,
  turn_id text not null,
  number integer not null,
  kept_at integer not null,
  bytes integer not null,
  summary text not null,
  request blob not null,
  unique (turn_id, number)
) strict;
`;
