import type pg from "pg";
import type { AuditRecord } from "../../../src/contract/orchestrator/audit.ts";
import { brokenLink } from "../../../src/contract/orchestrator/audit-chain.ts";

/** Contradictions within the events and the audit log, and with the engines' rows. */
export interface History {
  /** Events whose `from` differs from the `to` of the previous event. */
  readonly gaps: readonly unknown[];
  /** Engines whose last event differs from their row, deleted ones included. */
  readonly contradictions: readonly unknown[];
  readonly brokenLinks: readonly string[];
}

const WALK = `
  select seq, engine_id, type, from_state, to_state, lag(to_state) over steps as before,
    row_number() over steps as step, lead(seq) over steps is null as is_last
  from events where engine_id is not null and (from_state is not null or to_state is not null)
  window steps as (partition by engine_id order by seq)`;

export async function readHistory(db: pg.Pool): Promise<History> {
  const gaps = await db.query(
    `select engine_id, type, before, from_state from (${WALK}) walk
     where step > 1 and from_state is distinct from before`,
  );
  const contradictions = await db.query(
    `select engine_id, type, to_state as told, engines.state as actual from (${WALK}) walk
     left join engines on engines.id = engine_id
     where is_last and engines.state is distinct from to_state`,
  );
  const audit = await db.query<AuditRecord>("select seq::int, entry, prev_hash, hash from audit_log order by seq");
  return {
    gaps: gaps.rows,
    contradictions: contradictions.rows,
    brokenLinks: audit.rows.flatMap((line, index) => brokenLink(audit.rows[index - 1] ?? null, line) ?? []),
  };
}
