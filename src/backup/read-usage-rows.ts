import { DatabaseSync } from "node:sqlite";

const BUSY_WAIT_MS = 5000;
const MAX_ROWS = 5000;

/**
 * Reads the ledger of an engine's store whose engine has ended: its id and the rows after a revision, of which another
 * ledger has none. Null for a store without one. Throws for a damaged store.
 */
export function readUsageRows(
  file: string,
  known: { readonly ledger: string; readonly revision: number },
): { readonly ledger: string; readonly rows: readonly object[] } | null {
  const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_WAIT_MS });
  try {
    const found = db.prepare("select 1 from sqlite_schema where name = 'usage_days'").get();
    if (found === undefined) return null;
    const value = db.prepare("select value from engine_state where name = 'usage_ledger'").get()?.["value"];
    if (typeof value !== "string") return null;
    const { id: ledger } = JSON.parse(value) as { readonly id: string };
    const after = known.ledger === ledger ? known.revision : 0;
    const rows = db
      .prepare("select * from usage_days where revision > ? order by revision limit ?")
      .all(after, MAX_ROWS);
    return { ledger, rows };
  } finally {
    db.close();
  }
}
