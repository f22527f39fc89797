import { execFile } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { ask } from "../helpers/api.ts";
import { freePort } from "../helpers/daemon.ts";
import { openStream } from "../helpers/engine.ts";
import { freshFolder } from "../helpers/folder.ts";
import { until } from "../helpers/until.ts";
import { bootMachine, cannotBoot } from "./machine.ts";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");
const skip = process.env["ORCHD_SYSTEMD"] === "long" ? cannotBoot() : "takes minutes: npm run test:systemd";

const ENGINES = 10;
const TURNS_EACH = 5;
/** Of each turn: half a minute, which an upgrade does not outlast. */
const DELTAS = 600;
const DELTAS_PER_S = 20;

/** Unpacks a release of this checkout. `migration`: what its manifest says that it adds. */
async function unpacked(out: string, version: string, migration?: string): Promise<string> {
  const options = ["--level", "1", "--out", out, "--version", version];
  await run(process.execPath, [join(root, "scripts/package.ts"), ...options], { cwd: root });
  const archive = readdirSync(out).find((name) => name.includes(version) && name.endsWith(".tar.gz")) ?? "";
  await run("tar", ["-xzf", join(out, archive), "-C", out]);
  const folder = join(out, archive.replace(/\.tar\.gz$/, ""));
  const manifest = JSON.parse(readFileSync(join(folder, "release.json"), "utf8"));
  if (migration !== undefined) manifest.migrations.push(migration);
  writeFileSync(join(folder, "release.json"), JSON.stringify(manifest));
  return folder;
}

async function machineWithReleases(t: Test, port: number) {
  const out = freshFolder(t, "orchd-releases");
  const [one, two] = [await unpacked(out, "1.0.0"), await unpacked(out, "1.1.0", "9999-of-the-test")];
  const portMin = 20_000 + Math.floor(Math.random() * 9000);
  const settings = [`ORCH_PORT=${port}`, `ORCH_PORT_MIN=${portMin}`, `ORCH_PORT_MAX=${portMin + 50}`];
  return bootMachine(t, {
    files: { "/etc/orchd/orchd.env": settings.join("\n") },
    enabled: [],
    mounts: ["--tmpfs=/usr/local", `--bind-ro=${one}:/srv/one`, `--bind-ro=${two}:/srv/two`],
  });
}

t.test("a host is installed, upgraded under running turns, taken back, and removed", { skip }, async (t) => {
  const port = await freePort();
  const machine = await machineWithReleases(t, port);
  t.teardown(() => {
    if (!t.passing()) t.comment(machine.log());
  });
  const orchctl = (...args: readonly string[]) => machine.start("/usr/local/bin/orchctl", ...args);
  const done = async (outcome: Promise<{ code: number; output: string }>, expected: RegExp) => {
    const { code, output } = await outcome;
    t.match(output, expected);
    t.equal(code, 0, output);
    return output;
  };
  const json = async (...args: readonly string[]) =>
    JSON.parse((await done(orchctl("--json", ...args), /^\{/)).split("\n")[0] ?? "");
  const versions = async () => {
    const { data } = await json("engines", "list", "--all");
    return (data as { version: string; state: string }[]).map(({ version, state }) => `${state} ${version}`).sort();
  };

  await done(machine.start("/srv/one/bin/orchctl", "install", "--yes"), /until 1\.0\.0 is ready/);
  await done(orchctl("doctor"), /isolation/);
  await done(orchctl("register", "demo"), /Platform key/);
  const users = Array.from({ length: ENGINES }, (_, at) => `user-${at}`);
  const engines = [];
  for (const user of [...users, "sleeper"]) engines.push(await json("provision", user));
  const sleeper = engines.pop();
  await done(orchctl("chat", "user-0", "/say My name is Ada"), /Ada/);
  await done(orchctl("top", "--all", "--once"), /^11 engines, 11 running[^]*user-0 +running/);
  await done(orchctl("logs", "user-0"), /engine accepts turns/);
  await done(orchctl("debug", "bundle", "--output", "/root/bundle.tar.gz"), /bundle\.tar\.gz/);
  await until("it sleeps", async () => (await orchctl("engines", "sleep", "sleeper")).code === 0, 60_000);

  const turns = engines.flatMap(({ url, engine_api_key: key }) =>
    Array.from({ length: TURNS_EACH }, async (_, task) => {
      const body = { task_id: `t${task}`, message: `/stream ${DELTAS} ${DELTAS_PER_S}` };
      const frames = await (await openStream(url, "/execute", { headers: { "x-engine-key": key }, body })).all(300_000);
      return [frames.filter(({ event }) => event === "text_delta").length, frames.at(-1)?.data["phase"]];
    }),
  );
  const upgraded = await done(machine.start("/srv/two/bin/orchctl", "upgrade", "--yes"), /as 1\.1\.0/);
  const [backup = ""] = /\/var\/lib\/orchd\/backups\/\S+/.exec(upgraded) ?? [];
  t.match(backup, /\.tar\.gz$/, "it says where the backup is");
  t.same(await versions(), [...users.map(() => "running 1.0.0"), "sleeping 1.0.0"]);
  const keyed = { headers: { "x-engine-key": sleeper.engine_api_key as string } };
  t.equal((await ask(sleeper.url, "/memory/episodes", keyed)).status, 200, "a call wakes a sleeper");
  t.same(new Set((await Promise.all(turns)).map(String)), new Set([`${DELTAS},completed`]), "no turn was broken");
  await done(orchctl("doctor"), /engines restart --outdated/);
  await done(orchctl("engines", "restart", "--outdated", "--watch", "1s"), /10 of 10 engines restarted as 1\.1\.0/);
  t.same(new Set(await versions()), new Set(["running 1.1.0"]));

  const refused = await orchctl("rollback", "--yes");
  t.match(refused.output, new RegExp(`9999-of-the-test[^]*Go back over a migration.*${backup} with 1\\.0\\.0`));
  t.equal(refused.code, 5);
  machine.run("cp", backup, "/root/backup.tar.gz");
  machine.run("systemctl", "start", "orchd-stop-engines");
  machine.run("mv", "/var/lib/orchd", "/var/lib/orchd.newer");
  await done(orchctl("rollback", "--yes"), /as 1\.0\.0/);
  machine.run("systemctl", "stop", "orchd");
  await done(orchctl("backup", "restore", "/root/backup.tar.gz"), /restored into \/var\/lib\/orchd/);
  machine.run("systemctl", "start", "orchd");
  await done(orchctl("doctor"), /ok +daemon +orchd 1\.0\.0/);
  const { engine_api_key: key } = engines[0];
  const back = await until("it runs", async () => {
    const { state, url } = await json("engines", "show", "user-0");
    return state === "running" ? url : null;
  });
  const { body } = await ask(back, "/memory/episodes", { headers: { "x-engine-key": key } });
  t.match(JSON.stringify(body.items), "My name is Ada", "its key is valid, and its memory is there");

  await done(orchctl("uninstall", "--stop-engines", "--purge", "--yes"), /remove the user orchd/);
  const left =
    "ls -d /opt/orchd /etc/orchd /var/lib/orchd /etc/systemd/system/orchd* /sys/fs/cgroup/system.slice/orchd*";
  t.equal(machine.run("sh", "-c", `${left} 2>/dev/null; pgrep -f 'orch|postgres' | grep -v $$ || true`).trim(), "");
});
