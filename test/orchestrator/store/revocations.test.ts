import { sql } from "kysely";
import t from "tap";
import {
  deleteRevocation,
  dropOldRevocations,
  insertRevocation,
  takeDueRevocations,
} from "../../../src/orchestrator/store/revocations.ts";
import { onEachServer } from "../../helpers/database.ts";

const row = (id: string, host = "here") => ({
  id,
  engine_id: "eng_1",
  server: "guarded",
  product_id: "prd_1",
  host_id: host,
  private_hosts: [],
  tokens: Buffer.from("sealed"),
});

onEachServer(t, "a revocation is due at once, later each time, and given up after three days", async (t, { db }) => {
  const insert = (id: string, isTried: boolean, host?: string) =>
    db.transaction().execute((trx) => insertRevocation(trx, row(id, host), { isTried }));
  await insert("rev_1", false);
  await insert("rev_tried", true);
  await insert("rev_elsewhere", false, "elsewhere");
  t.match(await takeDueRevocations(db, "here"), [{ id: "rev_1", tries: 1 }], "one that is tried already waits");
  t.same(await takeDueRevocations(db, "here"), [], "nobody else tries meanwhile");
  const waits: number[] = [];
  for (let tries = 2; tries < 14; tries++) {
    await sql`update revocations set due_at = now() where id = 'rev_1'`.execute(db);
    const [taken] = await takeDueRevocations(db, "here");
    t.match(taken, { id: "rev_1", tries });
    const { rows } = await sql<{ s: number }>`
      select round(extract(epoch from due_at - now()))::int as s from revocations where id = 'rev_1'`.execute(db);
    waits.push(rows[0]?.s ?? 0);
  }
  t.same(waits, [30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600, 3600, 3600]);
  t.same(await dropOldRevocations(db, "here"), []);
  await sql`update revocations set created_at = now() - interval '73 hours' where id <> 'rev_tried'`.execute(db);
  t.match(await dropOldRevocations(db, "here"), [{ engine_id: "eng_1", server: "guarded", tries: 13 }]);
  await deleteRevocation(db, "rev_tried");
  const { rows } = await sql<{ id: string }>`select id from revocations`.execute(db);
  t.same(rows, [{ id: "rev_elsewhere" }], "those of another host are its own");
});
