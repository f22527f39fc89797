/**
 * What each MCP server listed last: the hash of each tool, as JSON. `address` is a hash of what names the server;
 * another address is another server. `waited`: a turn has waited for its first listing.
 */
export const sql = `
create table tool_servers (
  server text primary key,
  address text not null,
  waited integer not null default 0,
  listed_at integer,
  listed text
) strict, without rowid;
`;
