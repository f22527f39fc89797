import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table ports (
      host_id text not null,
      port integer not null check (port between 1 and 65535),
      -- Checked at commit: a port is taken for an engine in the statement before the one that inserts it.
      engine_id text unique references engines (id) on delete set null deferrable initially deferred,
      released_at timestamptz not null default '-infinity',
      primary key (host_id, port)
    )`.execute(db);
  // The least recently released port is taken first, so that old clients do not reach another engine.
  await sql`create index ports_free on ports (host_id, released_at, port) where engine_id is null`.execute(db);
  await sql`
    create function stamp_released_port() returns trigger language plpgsql as $$
    begin
      new.released_at := now();
      return new;
    end $$`.execute(db);
  await sql`
    create trigger port_released before update of engine_id on ports
    for each row when (old.engine_id is not null and new.engine_id is null) execute function stamp_released_port()`.execute(
    db,
  );
}
