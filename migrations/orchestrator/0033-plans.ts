import { type Kysely, sql } from "kysely";

/** Named parts of a product's policy, which engines have, and what is set for one engine alone. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table plans (
      product_id text not null references products (id) on delete cascade,
      name text not null,
      -- Fields left out are decided by the product's policy.
      policy jsonb not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (product_id, name)
    )`.execute(db);
  // The key refuses to delete a plan that an engine has, whichever calls race.
  await sql`
    alter table engines
      add column plan text,
      add column own_policy jsonb not null default '{}',
      -- Grows with each change of the two. It tells which of two reads is the later one.
      add column policy_changes integer not null default 0,
      add constraint engines_plan_fkey foreign key (product_id, plan) references plans (product_id, name)`.execute(db);
  await sql`create index engines_plan on engines (product_id, plan) where plan is not null`.execute(db);
  await sql`
    create trigger plans_changed after insert or update or delete on plans
    for each statement execute function notify_product_change()`.execute(db);
  await sql`
    create trigger changed_by_leader before insert or update or delete on plans
    for each statement execute function assert_leader()`.execute(db);
  // Daemons keep the limits of a user with the token that they have verified.
  await sql`
    create trigger engines_policy after update of plan, own_policy on engines
    for each row when (old.policy_changes is distinct from new.policy_changes)
    execute function orchd_notify_tokens()`.execute(db);
}
