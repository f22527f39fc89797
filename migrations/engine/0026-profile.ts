/**
 * The profile page of the user, by lines. `origin` is `learned` for a line that a learning batch wrote, `person` for one
 * that a person has corrected. A line that a person has deleted stays without its text, so that the facts behind it make
 * no new one.
 */
export const sql = `
create table profile_lines (
  number integer primary key,
  id text not null unique,
  section text not null,
  text text not null,
  origin text not null check (origin in ('learned', 'person')),
  created_at integer not null,
  updated_at integer not null,
  deleted_at integer
) strict;

create table profile_facts (
  line_id text not null references profile_lines (id) on delete cascade,
  knowledge_id text not null references knowledge (id) on delete cascade,
  primary key (line_id, knowledge_id)
) strict, without rowid;
create index profile_of_fact on profile_facts (knowledge_id);
`;
