import { chownSync, existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { readStat } from "../../src/sandbox/processes/process-table.ts";
import { DAEMONS, folderOf, newSite, post, provision, register, skip, startOn } from "../helpers/own-users.ts";
import { until } from "../helpers/until.ts";

for (const kind of ["root", "unit", "ordinary"] as const) {
  t.test(`engines of a killed daemon (${kind}) are adopted, read, stopped and kept`, { skip }, async (t) => {
    const site = await newSite(t, kind);
    let daemon = await startOn(t, kind, site);
    const key = await register(daemon);
    const alice = await provision(daemon, key, "alice");
    const file = join(folderOf(site, alice), "workspace-file");
    writeFileSync(file, "of alice");
    chownSync(file, statSync(folderOf(site, alice)).uid, 0);
    await daemon.stop("SIGKILL");
    daemon = await startOn(t, kind, site);
    const adopted = await daemon.platform(key, "/engines/alice");
    t.match(adopted.body, { pid: alice.pid, state: "running" });
    const parts = (await daemon.admin("/admin/status")).body.isolation.parts as { name: string; active: boolean }[];
    t.equal(parts.find(({ name }) => name === "user")?.active, DAEMONS[kind].ownUsers);
    t.equal(statSync(folderOf(site, alice)).uid === DAEMONS[kind].uid, !DAEMONS[kind].ownUsers);
    await until("the log is read", async () =>
      (await daemon.platform(key, "/engines/alice/logs?tail=10")).text.includes("engine accepts turns"),
    );
    // A restart after a crash of the adopted process needs its end to be seen, and its folder to be usable.
    process.kill(alice.pid, "SIGKILL");
    const revived = await until("the engine is back", async () => {
      const { body } = await daemon.platform(key, "/engines/alice");
      return body.state === "running" && body.pid !== alice.pid ? (body.pid as number) : null;
    });
    t.equal((await post(daemon, key, "/engines/alice/stop")).body.state, "stopped");
    t.equal(readStat(revived), null);
    const destroyed = await daemon.platform(key, "/engines/alice?keep_data=true", { method: "DELETE" });
    t.equal(destroyed.status, 200, destroyed.text);
    const [product = ""] = readdirSync(join(site.dataDir, "kept"));
    const [kept = ""] = readdirSync(join(site.dataDir, "kept", product));
    const keptFile = join(site.dataDir, "kept", product, kept, "workspace-file");
    t.equal(statSync(keptFile).uid, DAEMONS[kind].uid, "the daemon owns what it keeps: the user id is free again");
    const again = await provision(daemon, key, "alice");
    const { uid } = statSync(folderOf(site, again));
    t.equal(statSync(join(folderOf(site, again), "workspace-file")).uid, uid);
    t.equal(uid !== DAEMONS[kind].uid, DAEMONS[kind].ownUsers);
    t.equal((await daemon.platform(key, "/engines/alice", { method: "DELETE" })).status, 200);
    t.notOk(existsSync(folderOf(site, again)));
  });
}
