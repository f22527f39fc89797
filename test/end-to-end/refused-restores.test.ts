import { once } from "node:events";
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import t from "tap";
import { orchctlOf, settingsOf } from "../helpers/backup.ts";
import { launchDaemon, startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { until } from "../helpers/until.ts";
import { LARGE_BYTES, archiveOf, daemonOf, emptyPlace, hostWithEngine, makeDue } from "./restored-host.ts";

/** Starts a restore, and kills it when it has printed this. */
async function killedRestore(place: Record<string, string>, archive: string, at: RegExp): Promise<void> {
  const { process: child, output } = launchDaemon(place, { args: ["--restore", archive] });
  const ended = once(child, "exit");
  await until(`the restore says ${at}`, () => at.test(output()) || child.exitCode !== null);
  child.kill("SIGKILL");
  await ended;
}

const host = await hostWithEngine(t);
const archive = await archiveOf(t, host);

t.test("a restore is refused where a daemon runs, and after it was killed the next one does it whole", async (t) => {
  const place = await emptyPlace(t);
  const { ORCH_DATA_DIR: dataDir = "", DATABASE_URL: databaseUrl = "", ...env } = place;
  const empty = await startDaemon(t, { dataDir, databaseUrl, env });
  const refused = await orchctlOf(t, place)("backup", "restore", archive);
  t.match(refused, { code: 5, stderr: /refused: an orchd runs in this data folder; stop it first/ });
  await empty.stop();
  await killedRestore(place, archive, /extracting/);
  if (existsSync(join(dataDir, "restore-incomplete"))) {
    const { process: stopped, output } = launchDaemon(place);
    await once(stopped, "exit");
    t.match(output(), /a restore into it did not finish/);
  }
  await killedRestore(place, archive, /loading the records/);
  const restored = await orchctlOf(t, place)("backup", "restore", archive);
  // The last kill may have come after the records were loaded, or even after everything.
  t.match(restored.stdout + restored.stderr, /is restored into|is complete now|has data/);
  const daemon = await daemonOf(t, place);
  t.equal(daemon.adminKey, host.daemon.adminKey, "the keys of the empty one are replaced");
  await until("alice runs", async () => (await daemon.platform(host.key, "/engines/alice")).body.state === "running");
  const folder = join(dataDir, "engines");
  const [engine = ""] = readdirSync(folder);
  t.equal(readFileSync(join(folder, engine, "large")).length, LARGE_BYTES);
});

t.test("a restore with --resume-schedules runs them at once", async (t) => {
  const place = await emptyPlace(t);
  const restored = await orchctlOf(t, place)("--json", "backup", "restore", archive, "--resume-schedules");
  t.match(JSON.parse(restored.stdout), { restored: true, schedules_paused: false });
  await makeDue(place);
  const daemon = await daemonOf(t, place);
  await until("its missed run is made up for", async () => {
    const { body } = await daemon.platform(host.key, `/engines/alice/schedules/${host.scheduleId}/runs`);
    return body.data[0]?.state === "done";
  });
});

t.test("an archive that is refused leaves nothing, and a good one can follow", async (t) => {
  const place = await emptyPlace(t);
  const orchctl = orchctlOf(t, place);
  const dataDir = place["ORCH_DATA_DIR"] ?? "";
  const bad = join(freshFolder(t), "bad.tar.gz");
  const tar = gunzipSync(readFileSync(archive));
  const changed = Buffer.from(tar);
  const at = changed.indexOf(`large`) + 100_000;
  changed[at] = (changed[at] ?? 0) ^ 1;
  const rows = Buffer.from(tar);
  rows.write("99", rows.indexOf('"schema": "') + '"schema": "'.length);
  const cases = [
    [readFileSync(archive).subarray(0, LARGE_BYTES / 2), /incomplete: it ends after its member/],
    [gzipSync(changed, { level: 0 }), /member "large" differs/],
    [gzipSync(rows, { level: 0 }), /the records have the schema 99\S+ of a newer orchd/],
    [Buffer.from("hello"), /not a backup of orchd/],
  ] as const;
  for (const [content, message] of cases) {
    writeFileSync(bad, content);
    const restored = await orchctl("backup", "restore", bad);
    t.equal(restored.code, 5);
    t.match(restored.stderr, message);
    t.match(restored.stderr, `refused: ${bad}`);
    const left = existsSync(dataDir) ? readdirSync(dataDir) : [];
    t.same(
      left.filter((name) => ["engines", "kept", "restore.new", "restore-incomplete", "admin-key"].includes(name)),
      [],
    );
  }
  t.match(await orchctl("backup", "verify", bad), { code: 5, stderr: /not a backup of orchd/ });
  const missing = await orchctl("--json", "backup", "restore", "/no/such/file");
  t.equal(missing.code, 5);
  t.match(JSON.parse(missing.stderr), { error: { message: "refused: /no/such/file: cannot be read (ENOENT)" } });
  const noKey = await orchctlOf(t, { ...place, ORCH_SECRET_KEY: "another key than that of the host" })(
    "backup",
    "restore",
    archive,
  );
  t.match(noKey, { code: 5, stderr: /ORCH_SECRET_KEY: expected the key of the host that was backed up/ });
  const fewPorts = { ...place, ORCH_PORT_MIN: "20000", ORCH_PORT_MAX: "20000", ORCH_PORT: "7711" };
  t.equal((await orchctlOf(t, fewPorts)("backup", "restore", archive)).code, 0, "one port is enough for one engine");
  t.match((await orchctl("backup", "restore", archive)).stderr, /has data; expected a folder without engines/);
  rmSync(dataDir, { recursive: true });
  t.match((await orchctl("backup", "restore", archive)).stderr, /the database has records .*expected an empty one/);
  t.equal(existsSync(join(dataDir, "engines")), false);
});

t.test("a backup whose daemon is killed leaves no archive, and the next daemon makes the scheduled one", async (t) => {
  const { daemon, backups } = host;
  rmSync(backups, { recursive: true });
  t.equal((await daemon.admin("/admin/backups", { method: "POST" })).status, 202);
  const busy = await daemon.admin("/admin/backups", { method: "POST" });
  t.match(busy, { status: 409, body: { error: { code: "OPERATION_IN_PROGRESS" } } });
  await until("it writes", () => existsSync(backups) && readdirSync(backups).length > 0);
  await daemon.stop("SIGKILL");
  t.match(readdirSync(backups), [/\.partial$/]);
  const schedule = { ORCH_BACKUP_EVERY_H: "1", ORCH_BACKUP_PASSPHRASE: "correct horse battery", ORCH_BACKUP_KEEP: "1" };
  const next = await startDaemon(t, {
    dataDir: daemon.dataDir,
    databaseUrl: host.databaseUrl,
    env: { ORCH_BACKUP_DIR: backups, ...schedule },
  });
  t.teardown(() => next.admin("/products/p?force=true", { method: "DELETE" }));
  const list = async () => (await next.admin("/admin/backups")).body;
  const [made] = await until("the scheduled one is made", async () => {
    const { data, running } = await list();
    return data.length > 0 && running === null ? data : null;
  });
  t.match(made, { encrypted: true, name: /\.tar\.gz\.enc$/ });
  t.same(readdirSync(backups), [made.name], "what the killed one left is removed");
  const second = await archiveOf(t, { ...host, settings: settingsOf(next) });
  await until("the older one is removed", () => readdirSync(backups).length === 1);
  t.same(readdirSync(backups), [second.split("/").at(-1)]);
  rmSync(backups, { recursive: true });
  writeFileSync(backups, "in the place of the folder");
  const failed = await orchctlOf(t, settingsOf(next))("backup", "create");
  t.match(failed, { code: 7, stderr: /the backup failed: .*(ENOTDIR|EEXIST)/ });
  const status = (await next.admin("/admin/status")).body;
  t.match(status.warnings.join("\n"), /the last backup failed: /);
  t.match((await next.admin("/admin/events")).body.data[0], { type: "host.backup_failed", reason: /ENOTDIR|EEXIST/ });
});
