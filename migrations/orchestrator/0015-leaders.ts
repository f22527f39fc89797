import { type Kysely, sql } from "kysely";

/** What only the leader of a host may change. */
const FENCED = [
  "hosts",
  "engines",
  "ports",
  "idempotency_keys",
  "products",
  "product_keys",
  "catalog_versions",
  "schedules",
  "webhooks",
  "scheduled_runs",
  "budget_leases",
  "usage_ledgers",
];

export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table hosts
      -- Grows with each daemon that begins to lead.
      add column epoch bigint not null default 0,
      add column leader_name text,
      -- Where other daemons pass calls on to. Null: nowhere.
      add column leader_url text,
      -- The machine and network namespace of the leader, whose loopback addresses are those of its engines.
      add column leader_place text,
      add column leader_since timestamptz`.execute(db);
  // The connections of a daemon that leads carry its epoch. One that was frozen while another daemon took over changes
  // nothing afterwards: a later epoch begins under the exclusive lock, so after the last statement of the earlier one.
  // Connections without an epoch, such as an operator's own, are not affected.
  await sql`
    create function assert_leader() returns trigger language plpgsql as $$
    declare
      own_epoch text := nullif(current_setting('orchd.epoch', true), '');
      own_host text := current_setting('orchd.host_id', true);
    begin
      if own_epoch is null then
        return null;
      end if;
      perform pg_advisory_xact_lock_shared(hashtext('orchd epoch'), hashtext(own_host));
      if not exists (select from hosts where host_id = own_host and epoch = own_epoch::bigint) then
        raise exception 'another orchd leads the host %', own_host using errcode = 'OR001';
      end if;
      return null;
    end $$`.execute(db);
  for (const table of FENCED) {
    await sql`
      create trigger changed_by_leader before insert or update or delete on ${sql.table(table)}
      for each statement execute function assert_leader()`.execute(db);
  }
}
