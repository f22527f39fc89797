import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";

/** More than the disk has beyond the 512 MiB that a new engine needs. */
const BALLAST_BYTES = 100 * 1024 * 1024;
const mayMount = process.getuid?.() === 0;

t.test(
  "a host whose disk is nearly full takes no new engine, and lets those it has go on",
  { skip: mayMount ? false : "only root may mount a small disk" },
  async (t) => {
    const dataDir = freshFolder(t);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=600m,mode=711", "tmpfs", dataDir], { stdio: "ignore" });
    } catch {
      t.comment("skipped: no disk can be mounted here");
      return;
    }
    t.teardown(() => execFileSync("umount", ["-l", dataDir]));
    const daemon = await startDaemon(t, { dataDir, databaseUrl: await freshDatabaseUrl(t) });
    const { body } = await daemon.admin("/products/register", { method: "POST", body: { slug: "acme" } });
    const post = (path: string, sent: unknown = {}) =>
      daemon.platform(body.platform_api_key, path, { method: "POST", body: sent });
    t.equal((await post("/engines/provision", { user_id: "ann" })).status, 201);
    const ballast = join(dataDir, "ballast");
    // Little, because the daemon closes a connection that the test leaves idle for too long.
    writeFileSync(ballast, Buffer.alloc(BALLAST_BYTES));
    const refused = await post("/engines/provision", { user_id: "ben" });
    t.match(refused, { status: 503, body: { error: { code: "CAPACITY_EXHAUSTED", message: /MiB of disk left/ } } });
    t.equal(refused.headers["retry-after"], "30");
    t.match(await post("/engines/admit", { user_id: "ann" }), { status: 200, body: { state: "running" } });
    rmSync(ballast);
    t.equal((await post("/engines/provision", { user_id: "ben" })).status, 201);
    await daemon.admin("/products/acme?force=true", { method: "DELETE" });
    await daemon.stop();
  },
);
