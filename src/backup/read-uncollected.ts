import { DatabaseSync } from "node:sqlite";

const BUSY_WAIT_MS = 5000;
const MAX_USAGE_ROWS = 5000;
/** The oldest. A daemon reads a running engine's every second, so there are more only of one that had no daemon. */
const MAX_NOTICES = 2000;

type Rows = readonly object[];

/** What an engine that has ended spent and noted, and its daemon may not have read. */
export interface Uncollected {
  /** Null for a store without a ledger. */
  readonly usage: { readonly ledger: string; readonly rows: Rows } | null;
  readonly notices: Rows;
}

/**
 * Reads an engine's store: the rows of its ledger after a revision, of which another ledger has none, and its notices of
 * turns. Throws for a damaged store.
 */
export function readUncollected(
  file: string,
  known: { readonly ledger: string; readonly revision: number },
): Uncollected {
  const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_WAIT_MS });
  try {
    const isTable = (name: string) => db.prepare("select 1 from sqlite_schema where name = ?").get(name) !== undefined;
    const notices = "select * from turn_notices order by seq limit ?";
    return {
      usage: isTable("usage_days") ? readUsage(db, known) : null,
      notices: isTable("turn_notices") ? db.prepare(notices).all(MAX_NOTICES) : [],
    };
  } finally {
    db.close();
  }
}

function readUsage(
  db: DatabaseSync,
  known: { readonly ledger: string; readonly revision: number },
): Uncollected["usage"] {
  const value = db.prepare("select value from engine_state where name = 'usage_ledger'").get()?.["value"];
  if (typeof value !== "string") return null;
  const { id: ledger } = JSON.parse(value) as { readonly id: string };
  const after = known.ledger === ledger ? known.revision : 0;
  const rows = db
    .prepare("select * from usage_days where revision > ? order by revision limit ?")
    .all(after, MAX_USAGE_ROWS);
  return { ledger, rows };
}
