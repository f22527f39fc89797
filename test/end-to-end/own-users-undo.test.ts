import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import t from "tap";
import { startDaemon } from "../helpers/daemon.ts";
import { DAEMONS, newSite, register, skip } from "../helpers/own-users.ts";

const engine = resolve(import.meta.dirname, "../fixtures/engines/exits-at-once.cjs");

t.test("a provision that fails leaves neither record nor folder (unit)", { skip }, async (t) => {
  const { dataDir, databaseUrl = "", ports } = await newSite(t, "unit");
  const { through } = DAEMONS.unit;
  const daemon = await startDaemon(t, { dataDir, databaseUrl, through, env: ports, engine });
  const key = await register(daemon);
  const { status } = await daemon.platform(key, "/engines/provision", { method: "POST", body: { user_id: "alice" } });
  t.ok(status >= 500, `status ${status}`);
  const { body } = await daemon.platform(key, "/engines");
  t.same(body.data, []);
  t.same(readdirSync(join(dataDir, "engines")), []);
});
