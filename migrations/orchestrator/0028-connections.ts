import { type Kysely, sql } from "kysely";

/** Logins of end users at tool servers. What is sealed is sealed with the deployment's secret key. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table connections (
      engine_id text not null references engines (id) on delete cascade,
      -- The tool server's name in the catalog.
      server text not null,
      product_id text not null,
      host_id text not null,
      -- The tool server's address. Tokens go nowhere else.
      url text not null,
      issuer text not null,
      scopes text[] not null,
      -- Sealed: tokens, client and authorization server. Null when the user has to sign in again.
      tokens bytea,
      -- Grows with each change of the tokens.
      version bigint not null default 1,
      -- Of the access token. Null when the server does not say.
      expires_at timestamptz,
      -- Committed before the refresh token is used, and removed with what it gave: how a refresh that a crash cut is found.
      refresh_started_at timestamptz,
      connected_at timestamptz not null,
      last_used_at timestamptz,
      primary key (engine_id, server)
    )`.execute(db);
  await sql`
    create index connections_cut on connections (host_id) where refresh_started_at is not null`.execute(db);
  await sql`
    create table logins (
      -- SHA-256 of the link's token.
      hash text primary key,
      engine_id text not null references engines (id) on delete cascade,
      product_id text not null,
      host_id text not null,
      server text not null,
      -- What the engine's catalog says of the tool server.
      target jsonb not null,
      -- The turn that waits, and its session. Null for a login without a turn.
      turn_id text,
      task_id text,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      -- SHA-256 of the state that was sent with a browser, and of the browser's cookie. Null after its use.
      state_hash text unique,
      browser_hash text,
      state_expires_at timestamptz,
      -- Sealed: what must be known when the browser comes back.
      flow bytea,
      outcome text check (outcome in ('signed_in', 'refused')),
      -- When the engine has heard of the outcome.
      told_at timestamptz
    )`.execute(db);
  await sql`create index logins_untold on logins (host_id) where outcome is not null and told_at is null`.execute(db);
  await sql`
    create table login_clients (
      product_id text not null references products (id) on delete cascade,
      issuer text not null,
      callback_url text not null,
      -- Sealed: the client as the authorization server has registered it.
      client bytea not null,
      primary key (product_id, issuer, callback_url)
    )`.execute(db);
  for (const table of ["connections", "logins"]) {
    await sql`
      create trigger changed_by_leader before insert or update or delete on ${sql.table(table)}
      for each statement execute function assert_leader()`.execute(db);
  }
}
