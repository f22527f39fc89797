import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  // How much of a product's budget its engines hold, and have spent. Tokens, or micro-units of the currency.
  await sql`
    create table budget_periods (
      product_id text not null,
      budget text not null,
      -- A UTC day or month.
      period text not null,
      granted bigint not null default 0,
      spent bigint not null default 0,
      primary key (product_id, budget, period)
    )`.execute(db);
  await sql`
    create table budget_leases (
      product_id text not null,
      budget text not null,
      period text not null,
      ledger uuid not null,
      granted bigint not null default 0,
      spent bigint not null default 0,
      primary key (product_id, budget, period, ledger)
    )`.execute(db);
  // Each notice is given once in a period. The user is empty for a budget of the whole product.
  await sql`
    create table budget_notices (
      product_id text not null,
      user_id text not null,
      budget text not null,
      period text not null,
      notice text not null,
      primary key (product_id, user_id, budget, period, notice)
    )`.execute(db);
}
