/**
 * What the product's hook decided about calls of tools, before they ran. A row without a verdict was asked about. Only an
 * answer to the last attempt counts, and only for the input of this hash.
 */
export const sql = `
create table tool_verdicts (
  turn_id text not null,
  tool_call_id text not null,
  input_hash text not null,
  attempt integer not null,
  verdict text check (verdict in ('allow', 'deny', 'ask', 'change')),
  reason text,
  -- Of 'change': what the call runs with.
  input text,
  -- Why the product did not decide. The verdict is then the policy's.
  error text,
  asked_at integer not null,
  decided_at integer,
  primary key (turn_id, tool_call_id)
) strict, without rowid;
`;
