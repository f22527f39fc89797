import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t, { type Test } from "tap";
import { startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";

t.setTimeout(180_000);

/** A stopped engine of a real daemon, and its store. */
async function stoppedEngine(t: Test) {
  const dataDir = freshFolder(t);
  const daemon = await startDaemon(t, { dataDir, databaseUrl: await freshDatabaseUrl(t) });
  const { body: product } = await daemon.admin("/products/register", { method: "POST", body: { slug: "p" } });
  t.teardown(() => daemon.admin("/products/p?force=true", { method: "DELETE" }));
  const platform = (path: string, method = "GET", body?: unknown) =>
    daemon.platform(product?.platform_api_key as string, path, { method, ...(body !== undefined && { body }) });
  const made = await platform("/engines/provision", "POST", { user_id: "alice" });
  await platform("/engines/alice/stop", "POST");
  const found = readdirSync(dataDir, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith("/engine.db"));
  return { daemon, platform, port: made.body?.port as number, store: join(dataDir, found ?? "") };
}

t.test("an engine that cannot use its store keeps its address, and says why", async (t) => {
  const { daemon, platform, port, store } = await stoppedEngine(t);
  const startFails = async (t: Test, { exit_code, reason }: { exit_code: number; reason: RegExp }) => {
    const started = await platform("/engines/alice/start", "POST");
    t.equal(started.status, 502);
    t.match(started.body.error.message, reason);
    const { body } = await platform("/engines/alice");
    t.match(body, { state: "failed", port, last_error: { phase: "boot", exit_code, reason } });
  };

  await t.test("because a newer version wrote it", async (t) => {
    setVersion(store, 9999);
    await startFails(t, { exit_code: 76, reason: /engine\.db was written by a newer version/ });
    setVersion(store, null);
  });

  await t.test("because another process has locked it", async (t) => {
    const lock = new DatabaseSync(join(dirname(store), "engine.lock"));
    lock.exec("begin exclusive");
    // An isolated engine does not see whose process it is.
    await startFails(t, { exit_code: 71, reason: /engine\.lock is locked by (another process|process \d+)/ });
    lock.close();
  });

  await t.test("because it is no file", async (t) => {
    const lock = join(dirname(store), "engine.lock");
    rmSync(lock, { force: true });
    mkdirSync(lock);
    await startFails(t, { exit_code: 74, reason: /engine\.lock cannot be used/ });
    rmSync(lock, { recursive: true });
  });

  const events = await daemon.admin("/admin/events?limit=200");
  t.same(
    events.body.data.filter(({ type }: { type: string }) => type === "host.port_taken"),
    [],
  );
  const { body: status } = await daemon.admin("/admin/status");
  t.equal(status.ports.quarantined, 0);
  t.match(await platform("/engines/alice/start", "POST"), { status: 200, body: { state: "running", port } });
});

let sound = 0;
/** `null` puts the version back that the store had before. */
function setVersion(store: string, version: number | null): void {
  const db = new DatabaseSync(store);
  if (version !== null) sound = Number(db.prepare("pragma user_version").get()?.["user_version"]);
  db.exec(`pragma user_version = ${version ?? sound}`);
  db.close();
}
