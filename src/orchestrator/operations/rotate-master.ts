import { InvalidInput } from "../../shared/parse.ts";
import type { HostContext } from "../host-context.ts";
import { appendAudit } from "../store/audit-log.ts";
import { SEALED_COLUMNS, type SealedRow, replaceSealed, sealedRows } from "../store/sealed-columns.ts";

/** A call ends after this time, and the next one goes on. */
const CALL_MS = 5000;
const TABLES = Object.keys(SEALED_COLUMNS);

interface Rotated {
  readonly resealed: number;
  readonly unreadable: number;
  readonly next: string | null;
}

/**
 * Seals again with the current secret key what the previous one has sealed, in the order of the tables. Each value is
 * readable before and after its own statement, so an end at any point loses nothing: another call finds what remains.
 */
export async function rotateMaster(
  host: Pick<HostContext, "db" | "box" | "logger">,
  after: string | undefined,
): Promise<Rotated> {
  const until = performance.now() + CALL_MS;
  const counts = { resealed: 0, unreadable: 0 };
  let at = after === undefined ? { table: TABLES[0] ?? "", key: null } : readPlace(after);
  for (;;) {
    const rows = await sealedRows(host.db, at.table, at.key);
    for (const row of rows) await resealRow(host, at.table, row, counts);
    const last = rows.at(-1);
    const following = TABLES[TABLES.indexOf(at.table) + 1];
    if (last === undefined && following === undefined) break;
    at = last === undefined ? { table: following ?? "", key: null } : { table: at.table, key: last.key };
    if (performance.now() > until) return { ...counts, next: JSON.stringify([at.table, ...(at.key ?? [])]) };
  }
  await host.db
    .transaction()
    .execute((trx) =>
      appendAudit(trx, { action: "host.secret_key_rotated", detail: { unreadable: counts.unreadable } }),
    );
  return { ...counts, next: null };
}

interface Place {
  readonly table: string;
  readonly key: readonly string[] | null;
}

async function resealRow(
  { db, box, logger }: Pick<HostContext, "db" | "box" | "logger">,
  table: string,
  { key, sealed }: SealedRow,
  counts: { resealed: number; unreadable: number },
): Promise<void> {
  for (const [column, before] of Object.entries(sealed)) {
    if (before === null) continue;
    let after: Buffer | null;
    try {
      after = box.reseal(before);
    } catch {
      logger.warn({ table, column, key }, "failed to decrypt a stored value: neither secret key opens it");
      counts.unreadable++;
      continue;
    }
    if (after === null) continue;
    await replaceSealed(db, table, { key, column, before, after });
    counts.resealed++;
  }
}

function readPlace(text: string): Place {
  const invalid = new InvalidInput("after", "expected the next of the call before");
  let place: unknown;
  try {
    place = JSON.parse(text);
  } catch {
    throw invalid;
  }
  if (!Array.isArray(place) || !place.every((part) => typeof part === "string")) throw invalid;
  const [table = "", ...key] = place;
  const columns = SEALED_COLUMNS[table]?.key.length;
  if (columns === undefined || (key.length !== 0 && key.length !== columns)) throw invalid;
  return { table, key: key.length === 0 ? null : key };
}
