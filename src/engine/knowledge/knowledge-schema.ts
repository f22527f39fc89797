/**
 * A document's passages, and the words of each. The index has no text: the words are those of `indexWords`, which queries
 * use too. Vectors are of the one model of `embedding`; a null vector is of a passage that the model's endpoint refuses. What is
 * deleted is overwritten.
 */
export const KNOWLEDGE_SCHEMA = `
  pragma page_size = 8192;
  pragma secure_delete = on;
  create table documents (id integer primary key, path text not null unique, title text not null) strict;
  create table passages (
    id integer primary key,
    document integer not null references documents (id),
    number integer not null,
    heading text not null,
    line_from integer, line_to integer, page_from integer, page_to integer,
    text text not null,
    unique (document, number)
  ) strict;
  create virtual table passage_index using fts5 (
    title, above, heading, body, content='', contentless_delete=1, columnsize=1, tokenize='ascii'
  );
  create table embedding (model text not null, dimensions integer not null) strict;
  create table passage_vectors (passage integer primary key references passages (id), vector blob) strict;
  create table passage_signs (passage integer primary key references passages (id), signs blob not null) strict;
  insert into passage_index (passage_index, rank) values ('secure-delete', 1);
`;
