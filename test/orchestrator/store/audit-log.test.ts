import { sql } from "kysely";
import t from "tap";
import { type AuditRecord, brokenLink } from "../../../src/contract/audit-chain.ts";
import { appendAudit, listAudit } from "../../../src/orchestrator/store/audit-log.ts";
import { onEachServer } from "../../helpers/database.ts";

const firstBroken = (lines: readonly AuditRecord[]): string | null =>
  lines.map((line, index) => brokenLink(lines[index - 1] ?? null, line)).find((broken) => broken !== null) ?? null;

onEachServer(t, "lines appended at once form one chain; none of them can be changed", async (t, { db }) => {
  await Promise.all(
    Array.from({ length: 30 }, (_, at) =>
      db.transaction().execute((trx) => appendAudit(trx, { action: "test", detail: { at } })),
    ),
  );
  await t.rejects(
    db.transaction().execute(async (trx) => {
      await appendAudit(trx, { action: "undone" });
      throw new Error("the change failed");
    }),
  );
  const lines = await listAudit(db, { after: 0, limit: 200 });
  t.equal(lines.length, 30, "a change that failed has no line");
  t.equal(firstBroken(lines), null);
  t.same(
    (await listAudit(db, { after: 28, limit: 200 })).map(({ seq }) => seq),
    [29, 30],
  );

  await t.rejects(sql`update audit_log set entry = '{}' where seq = 3`.execute(db), { message: /append-only/ });
  await t.rejects(sql`delete from audit_log where seq = 30`.execute(db), { message: /append-only/ });
  await t.rejects(sql`truncate audit_log`.execute(db), { message: /append-only/ });

  await sql`alter table audit_log disable trigger all`.execute(db);
  await sql`update audit_log set entry = replace(entry, 'test', 'fest') where seq = 7`.execute(db);
  t.equal(firstBroken(await listAudit(db, { after: 0, limit: 200 })), "line 7 was changed");
  await sql`delete from audit_log where seq = 7`.execute(db);
  t.equal(firstBroken(await listAudit(db, { after: 0, limit: 200 })), "line 7 is missing: line 8 comes next");
});
