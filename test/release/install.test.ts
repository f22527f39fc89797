import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { CliFailure } from "../../cli/exit-codes.ts";
import { openFolder } from "../../cli/release/open-release.ts";
import { releaseBefore } from "../../cli/release/replace-release.ts";
import { serviceAccount } from "../../cli/release/service-account.ts";
import { installSteps } from "../../cli/release/install-release.ts";
import { layoutOf, linkedVersion, readEnvironment } from "../../cli/release/release-layout.ts";
import { databaseProblem } from "../../cli/release/release-manifest.ts";
import { type Step, runSteps } from "../../cli/release/release-steps.ts";
import { uninstallSteps } from "../../cli/release/uninstall-release.ts";
import { removeOldReleases, switchRelease, upgradeSteps } from "../../cli/release/upgrade-release.ts";
import { type FakeHost, fakeHost, fakeRelease } from "./fake-release.ts";

/** Takes the steps, or only prints them. Returns the results with the first word of each step. */
async function take(steps: readonly Step[], yes = true): Promise<readonly string[]> {
  const lines: string[] = [];
  const print = {
    json: false,
    line: (text: string) => void lines.push(text),
    record: () => undefined,
    note: () => undefined,
  };
  await runSteps(steps, { yes, print });
  return lines.map((line) => line.split(/\s+/).slice(0, 2).join(" "));
}

async function installed(t: Test): Promise<FakeHost> {
  const host = fakeHost(t.testdir({ system: {}, archives: {} }) + "/system");
  await take(installSteps(host, await fakeRelease(archives(host), "1.0.0")));
  return host;
}
const archives = ({ layout }: FakeHost) => join(layout.root, "../archives");
const link = (host: FakeHost, path: string) => readlinkSync(join(host.layout.root, path));

t.test("an installation copies the release, links the system's files to it, and starts the service", async (t) => {
  const host = await installed(t);
  t.equal(await linkedVersion(host.layout.current), "1.0.0");
  t.equal(link(host, "etc/systemd/system/orchd.service"), "/opt/orchd/current/systemd/orchd.service");
  t.equal(link(host, "etc/sysusers.d/orchd.conf"), "/opt/orchd/current/systemd/orchd.sysusers");
  t.equal(link(host, "usr/local/bin/orchctl"), "/opt/orchd/current/bin/orchctl");
  t.equal(link(host, "usr/local/share/man/man1/orchctl.1"), "/opt/orchd/current/dist/man/orchctl.1");
  const release = join(host.layout.releases, "1.0.0");
  t.equal(statSync(join(release, "bin/node")).mode & 0o777, 0o755, "each engine's user may run it");
  t.equal(statSync(join(release, "systemd/orchd.service")).mode & 0o777, 0o644);
  t.equal(statSync(host.layout.environment).mode & 0o777, 0o600);
  t.same(host.commands, [
    `systemd-sysusers ${host.layout.root}/etc/sysusers.d/orchd.conf`,
    `systemd-tmpfiles --create ${host.layout.root}/etc/tmpfiles.d/orchd.conf`,
    "systemctl daemon-reload",
    "systemctl enable orchd.service",
    "systemctl start orchd.service",
  ]);
  t.equal(host.running, "1.0.0");
});

t.test("without --yes nothing is changed", async (t) => {
  const root = t.testdir({ system: {}, archives: {} });
  const host = fakeHost(join(root, "system"));
  const results = await take(installSteps(host, await fakeRelease(archives(host), "1.0.0")), false);
  t.ok(
    results.every((line) => line.startsWith("would ")),
    results.join(", "),
  );
  t.same([readdirSync(host.layout.root), host.commands], [[], []]);
});

t.test("a second installation of the same release keeps what is there, settings too", async (t) => {
  const host = await installed(t);
  writeFileSync(host.layout.environment, "ORCH_PORT=7800\n");
  const results = await take(installSteps(host, await fakeRelease(archives(host), "1.0.0")));
  t.same(results.slice(0, 3), ["unchanged copy", "unchanged create", "unchanged link"]);
  t.equal(readFileSync(host.layout.environment, "utf8"), "ORCH_PORT=7800\n");
});

t.test("into an image, files are placed and the unit enabled, and nothing is started", async (t) => {
  const host = { ...fakeHost(t.testdir({ system: {}, archives: {} }) + "/system"), isImage: true };
  await take(installSteps(host, await fakeRelease(archives(host), "1.0.0")));
  t.same(host.commands, [`systemctl --root=${host.layout.root} enable orchd.service`]);
});

t.test("a damaged file is named, and nothing of the release is installed", async (t) => {
  const host = fakeHost(t.testdir({ system: {}, archives: {} }) + "/system");
  const release = await fakeRelease(archives(host), "1.0.0");
  writeFileSync(join(release.folder, "bin/orchctl"), "#!/bin/sh\nexit\n");
  const failure = { message: /failed to copy the release .*bin\/orchctl is damaged.*nothing was changed before/ };
  await t.rejects(take(installSteps(host, release)), failure);
  t.notOk(existsSync(join(host.layout.releases, "1.0.0")));
  t.equal(host.commands.length, 0);
});

t.test("a step that fails names those before it, and the same command continues there", async (t) => {
  const host = fakeHost(t.testdir({ system: {}, archives: {} }) + "/system");
  const release = await fakeRelease(archives(host), "1.0.0");
  host.broken.add("1.0.0");
  await t.rejects(take(installSteps(host, release)), {
    message:
      /failed to start orchd.service .*Job for orchd.service failed \(done before: copy .*; enable orchd.service\)/,
  });
  host.broken.clear();
  t.equal((await take(installSteps(host, release))).at(-1), "done start");
  t.equal(host.running, "1.0.0");
});

t.test("an upgrade switches to the new release, and units that it does not have are unlinked", async (t) => {
  const host = await installed(t);
  const units = ["orchd.service", "orchd.socket"];
  const next = await fakeRelease(archives(host), "1.1.0", { units });
  await take(upgradeSteps(host, next, { from: "1.0.0", keep: 2 }));
  t.same([host.running, await linkedVersion(host.layout.previous)], ["1.1.0", "1.0.0"]);
  t.ok(existsSync(join(host.layout.releases, "1.0.0")), "engines still run from it");
  t.equal(link(host, "etc/systemd/system/orchd.socket"), "/opt/orchd/current/systemd/orchd.socket");
  await take([switchRelease(host, { from: "1.1.0", to: "1.0.0" })]);
  t.same([host.running, await linkedVersion(host.layout.previous)], ["1.0.0", "1.1.0"]);
  t.notOk(readdirSync(join(host.layout.root, "etc/systemd/system")).includes("orchd.socket"));
});

t.test("a release that does not get ready is replaced by the one before", async (t) => {
  const host = await installed(t);
  host.broken.add("1.1.0");
  const next = await fakeRelease(archives(host), "1.1.0");
  await t.rejects(take(upgradeSteps(host, next, { from: "1.0.0", keep: 2 })), {
    exit: "unavailable",
    message: /1\.1\.0 did not get ready: Job for orchd.service failed; 1\.0\.0 runs again/,
  });
  t.same([host.running, await linkedVersion(host.layout.current)], ["1.0.0", "1.0.0"]);
  t.equal(await linkedVersion(host.layout.previous), null);
});

t.test("when neither release gets ready, both reasons are given", async (t) => {
  const host = await installed(t);
  for (const version of ["1.0.0", "1.1.0"]) host.broken.add(version);
  await t.rejects(take([switchRelease(host, { from: "1.0.0", to: "1.1.0" })]), {
    message: /1\.1\.0 did not get ready: .*; and 1\.0\.0 did not get ready again: /,
  });
});

t.test("a release that does not run on this host never becomes the current one", async (t) => {
  const host = await installed(t);
  const next = await fakeRelease(archives(host), "1.1.0", { runs: false });
  const before = host.commands.length;
  await t.rejects(take(upgradeSteps(host, next, { from: "1.0.0", keep: 2 })), { message: /check that 1\.1\.0 runs/ });
  t.equal(host.commands.length, before, "the service was not touched");
  t.equal(await linkedVersion(host.layout.current), "1.0.0");
});

t.test("an upgrade that was interrupted between link and restart is finished by the next one", async (t) => {
  const host = await installed(t);
  const next = await fakeRelease(archives(host), "1.1.0");
  await take(upgradeSteps(host, next, { from: "1.0.0", keep: 2 }));
  host.running = "1.0.0";
  await take(upgradeSteps(host, next, { from: "1.0.0", keep: 2 }));
  t.equal(host.running, "1.1.0");
  t.match(await take(upgradeSteps(host, next, { from: "1.0.0", keep: 2 })), [
    "unchanged copy",
    "done check",
    "unchanged restart",
  ]);
});

t.test("old releases go, except the newest, the linked ones and those with processes", async (t) => {
  const layout = layoutOf(t.testdir({}));
  const names = ["1.0.0", "1.1.0", "1.2.0", "1.3.0"];
  for (const [at, name] of names.entries()) {
    mkdirSync(join(layout.releases, name), { recursive: true });
    utimesSync(join(layout.releases, name), 1000 + at, 1000 + at);
  }
  const left = () => readdirSync(layout.releases).sort();
  await take([removeOldReleases(layout, 3)]);
  t.same(left(), ["1.1.0", "1.2.0", "1.3.0"]);
  t.same(await take([removeOldReleases(layout, 3)]), ["unchanged remove"]);
});

t.test("a database that is newer than the release is refused, and the migration named", async (t) => {
  const release = (version: string, migrations: readonly string[], postgres = "18.1") => ({
    version,
    migrations: [...migrations],
    postgres,
  });
  const [old, next] = [release("1.0.0", ["0001-a"]), release("1.1.0", ["0001-a", "0002-b"])];
  const bundled = { usesBundledServer: true };
  t.equal(databaseProblem(old, next, bundled), null);
  t.match(
    databaseProblem(next, old, bundled),
    /1\.1\.0 has migrated the database to 0002-b, which 1\.0\.0 does not know/,
  );
  const major = release("2.0.0", ["0001-a"], "19.0");
  t.match(databaseProblem(old, major, bundled), /created by PostgreSQL 18, and 2\.0\.0 has PostgreSQL 19/);
  t.equal(databaseProblem(old, major, { usesBundledServer: false }), null);
});

t.test("before migrations an upgrade backs the host up, and says where the way back starts", async (t) => {
  const host = await installed(t);
  const next = await fakeRelease(archives(host), "1.1.0", { migrations: ["0001-a", "0002-b"] });
  const { manifest: from } = await openFolder(join(host.layout.releases, "1.0.0"));
  const archive = join(archives(host), "backup.tar.gz");
  const broken = { from, make: () => Promise.reject(new CliFailure("unavailable", "the disk is full")) };
  const steps = (backup: { from: typeof from; make: () => Promise<string> }, release = next) =>
    upgradeSteps(host, release, { from: "1.0.0", keep: 2, backup });
  await t.rejects(take(steps(broken)), { message: /failed to back up this host.*0002-b.*the disk is full/ });
  t.equal(host.running, "1.0.0", "nothing was migrated");
  const same = await fakeRelease(archives(host), "1.0.1");
  t.notMatch(await take(steps(broken, same), false), ["would copy", "would check", "would back"]);
  writeFileSync(archive, "");
  const lines: string[] = [];
  const print = { json: false, line: (text: string) => void lines.push(text), record: () => {}, note: () => {} };
  const working = { from, make: () => Promise.resolve(archive) };
  await runSteps(steps(working), { yes: true, print });
  t.match(lines[2], new RegExp(`^done +back up this host, because 1.1.0 migrates .*: ${archive}$`));
  t.same((await take(steps(working)))[2], "unchanged back", "once");
  const old = await openFolder(join(host.layout.releases, "1.0.0"));
  const advice = new RegExp(`Go back over a migration.*${archive} with 1.0.0`);
  mkdirSync(join(host.layout.dataDir, "postgres"), { recursive: true });
  await t.rejects(releaseBefore(host, old), { exit: "conflict", message: /migrated the database to 0002-b/, advice });
  rmSync(join(host.layout.dataDir, "postgres"), { recursive: true });
  t.equal((await releaseBefore(host, old)).version, "1.1.0", "an empty data folder can be filled by any release");
});

const isRoot = process.getuid?.() === 0;
t.test("a restore runs as the service's user with its settings", { skip: !isRoot && "needs root" }, async (t) => {
  const host = await installed(t);
  const { layout } = host;
  writeFileSync(layout.environment, `ORCH_BACKUP_PASSPHRASE="a long one"\n`);
  mkdirSync(join(layout.root, "etc"), { recursive: true });
  writeFileSync(join(layout.root, "etc/passwd"), "root:x:0:0::/:/bin/sh\norchd:x:65533:65532::/:/bin/false\n");
  t.equal(await serviceAccount(layout, import.meta.dirname), null, "another program is not the service's");
  const account = { uid: 65_533, gid: 65_532 };
  const env = { ORCH_BACKUP_PASSPHRASE: "a long one", ORCH_DATA_DIR: layout.dataDir };
  const installDir = join(layout.releases, "1.0.0");
  t.same(await serviceAccount(layout, installDir), { ...account, env });
  t.match(statSync(layout.dataDir), account);
  chownSync(layout.dataDir, 65_531, 65_530);
  t.match(await serviceAccount(layout, installDir), { uid: 65_531, gid: 65_530 });
});

t.test("uninstalling keeps data and settings; --purge removes them", async (t) => {
  const host = await installed(t);
  mkdirSync(host.layout.dataDir, { recursive: true });
  await take(await uninstallSteps(host, { purge: false, stopEngines: true }));
  t.same(host.commands.slice(-4), [
    "systemctl start orchd-stop-engines.service",
    "systemctl stop orchd.service",
    "systemctl disable orchd.service",
    "systemctl daemon-reload",
  ]);
  t.notOk(existsSync(host.layout.opt));
  t.same(readdirSync(join(host.layout.root, "etc/systemd/system")), []);
  t.same(
    [host.layout.dataDir, host.layout.environment].map((path) => existsSync(path)),
    [true, true],
  );
  await take(await uninstallSteps(host, { purge: true, stopEngines: false }));
  t.same(
    [host.layout.dataDir, host.layout.etc].map((path) => existsSync(path)),
    [false, false],
  );
});

t.test("the environment file is read as systemd reads plain lines", async (t) => {
  const host = await installed(t);
  writeFileSync(host.layout.environment, `#ORCH_HOST=x\nORCH_PORT="7800"\n  ORCH_LOG_LEVEL=debug \nnonsense\n`);
  t.same(await readEnvironment(host.layout), { ORCH_PORT: "7800", ORCH_LOG_LEVEL: "debug" });
});

t.test("a manifest cannot name a file outside of its release", async (t) => {
  const host = fakeHost(t.testdir({ system: {}, archives: {} }) + "/system");
  const { folder, manifest } = await fakeRelease(archives(host), "1.0.0");
  for (const name of ["../etc/passwd", "/etc/passwd", "bin/../../x"]) {
    writeFileSync(join(folder, "release.json"), JSON.stringify({ ...manifest, files: { [name]: "0" } }));
    await t.rejects(openFolder(folder), CliFailure, name);
  }
});
