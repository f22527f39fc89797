import { sql } from "kysely";
import t from "tap";
import type { AuditRecord } from "../../../src/contract/orchestrator/audit.ts";
import { brokenLink } from "../../../src/contract/orchestrator/audit-chain.ts";
import { appendAudit, listAudit } from "../../../src/orchestrator/store/audit-log.ts";
import { EventLog } from "../../../src/orchestrator/store/events.ts";
import { preparePorts } from "../../../src/orchestrator/store/ports.ts";
import { withinRequest } from "../../../src/shared/request-context.ts";
import { NO_SPAN } from "../../../src/shared/tracing/span.ts";
import { onEachServer } from "../../helpers/database.ts";
import { insertedEngine, insertedProduct, newStates, range } from "../../helpers/records.ts";
import { until } from "../../helpers/until.ts";

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

onEachServer(t, "an admin's change of an engine and one of a product do not deadlock", async (t, { db }) => {
  await preparePorts(db, range);
  const { id: productId } = await insertedProduct(db);
  const { id = "" } = (await insertedEngine(db, productId, "a")) ?? {};
  const call = { requestId: "r", actor: "admin", span: NO_SPAN } as const;
  const { removed } = await db.transaction().execute(async (trx) => {
    await appendAudit(trx, { action: "product.policy_changed" });
    const removed = withinRequest(call, () => newStates(db).remove({ id, from: ["provisioning"], reason: "test" }));
    await until("the other change waits for the audit log", async () => {
      const { rows } = await sql`
        select from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`.execute(db);
      return rows.length > 0;
    });
    await new EventLog(range.hostId).insert(trx, { type: "product.policy_changed", productId });
    return { removed };
  });
  t.equal(await removed, true);
});
