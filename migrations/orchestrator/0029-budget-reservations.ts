import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  // The user is empty for a budget of the whole product.
  await sql`alter table budget_periods add column user_id text not null default ''`.execute(db);
  await sql`alter table budget_periods drop constraint budget_periods_pkey`.execute(db);
  await sql`alter table budget_periods add primary key (product_id, budget, period, user_id)`.execute(db);
  // What a model call in flight may cost, which `granted` of its periods contains.
  await sql`
    create table budget_reservations (
      id uuid primary key,
      product_id text not null,
      provider text not null,
      model text not null,
      day date not null,
      -- Tokens of the request.
      input bigint not null,
      -- Of each period: user_id, budget, period, amount.
      held jsonb not null,
      -- Whether the amounts are what the request alone cost, because no settlement came in time.
      is_expired boolean not null default false,
      made_at timestamptz not null default now()
    )`.execute(db);
  await sql`create index budget_reservations_age on budget_reservations (made_at)`.execute(db);
}
