import t from "tap";
import { Alarm } from "../../../src/shared/alarm.ts";
import { changeSchedule, createSchedule } from "../../../src/orchestrator/operations/change-schedule.ts";
import { publishCatalog } from "../../../src/orchestrator/operations/publish-catalog.ts";
import { EventLog } from "../../../src/orchestrator/store/events.ts";
import { preparePorts } from "../../../src/orchestrator/store/ports.ts";
import { SealedBox } from "../../../src/orchestrator/store/sealed-box.ts";
import { findProduct } from "../../../src/orchestrator/store/products.ts";
import { onEachServer } from "../../helpers/database.ts";
import { insertedEngine, insertedProduct, range } from "../../helpers/records.ts";

onEachServer(t, "an edit that moves no time keeps one that is due and not taken yet", async (t, { db }) => {
  await preparePorts(db, range);
  const product = await insertedProduct(db);
  const engine = await insertedEngine(db, product.id, "anna");
  const found = await findProduct(db, product.id);
  if (engine === null || found === null) throw new Error("no engine");
  let now = Date.parse("2026-11-01T12:00:00Z");
  const settings = { portRange: range } as Parameters<typeof createSchedule>[0]["settings"];
  const host = {
    db,
    events: new EventLog(range.hostId),
    alarm: new Alarm(),
    now: () => now,
    settings,
    box: new SealedBox("x"),
  };
  const timing = { kind: "every", every_s: 3600, anchor_at: "2026-11-01T00:30:00.000Z" } as const;
  const request = { name: "hourly", timing, message: "/say hi" };
  const { id } = await createSchedule(host, found, { userId: "anna", request });
  const change = async (patch: Parameters<typeof changeSchedule>[2]["patch"]) =>
    (await changeSchedule(host, found, { address: { userId: "anna", id }, patch })).next_due_at;
  now = Date.parse("2026-11-01T12:30:00.020Z");
  t.equal(
    await change({ timing, enabled: true, spread_s: 0, ends_at: null, name: "same" }),
    "2026-11-01T12:30:00.000Z",
  );
  t.equal(await change({ timing: { ...timing, every_s: 1800 } }), "2026-11-01T13:00:00.000Z");
});

onEachServer(t, "a rollback to a version that a push removed meanwhile is refused", async (t, { db }) => {
  const { id } = await insertedProduct(db);
  const product = await findProduct(db, id);
  if (product === null) throw new Error("no product");
  const host = { db } as Parameters<typeof publishCatalog>[0];
  const next = { digest: "d".repeat(64), files: [], bytes: 0, restoredFrom: 1, sealed: null };
  const options = { next, ifVersion: null, type: "catalog.rolled_back", warnings: [] } as const;
  await t.rejects(publishCatalog(host, product, options), { code: "CATALOG_VERSION_NOT_FOUND" });
});
