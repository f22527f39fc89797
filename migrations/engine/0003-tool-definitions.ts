/** Pinned definitions of MCP tools, as first seen or last allowed by a human. */
export const sql = `
create table tool_definitions (
  server text not null,
  tool text not null,
  hash text not null,
  definition text not null,
  pinned_at integer not null,
  primary key (server, tool)
) strict, without rowid;
`;
