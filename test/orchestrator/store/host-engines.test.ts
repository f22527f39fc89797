import t from "tap";
import type { EngineState } from "../../../src/contract/orchestrator/requests.ts";
import { listIncarnations } from "../../../src/orchestrator/store/host-engines.ts";
import { preparePorts } from "../../../src/orchestrator/store/ports.ts";
import { onEachServer } from "../../helpers/database.ts";
import { insertedEngine, insertedProduct, range } from "../../helpers/records.ts";

const HANDLE = JSON.stringify({ backend: "process", version: 1 });
const ROWS: Readonly<Record<string, { readonly state: EngineState; readonly handle: string | null }>> = {
  starting: { state: "starting", handle: null },
  running: { state: "running", handle: HANDLE },
  "falling asleep": { state: "sleeping", handle: HANDLE },
  "waiting for its restart": { state: "backoff", handle: null },
  asleep: { state: "sleeping", handle: null },
  stopped: { state: "stopped", handle: null },
  failed: { state: "failed", handle: null },
};

onEachServer(t, "incarnations at rest have no process", async (t, { db }) => {
  await preparePorts(db, range);
  const { id: productId } = await insertedProduct(db);
  const expected: string[] = [];
  for (const [name, { state, handle }] of Object.entries(ROWS)) {
    const row = await insertedEngine(db, productId, name);
    if (row === null) throw new Error("no port");
    await db.updateTable("engines").set({ state, handle }).where("id", "=", row.id).execute();
    if (["starting", "running", "falling asleep", "waiting for its restart"].includes(name))
      expected.push(row.incarnation);
  }
  const found = await listIncarnations(db, range.hostId);
  t.same(new Set(found.map(({ id }) => id)), new Set(expected));
  t.same(await listIncarnations(db, "another host"), []);
});
