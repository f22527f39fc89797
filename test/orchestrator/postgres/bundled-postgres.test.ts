import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import pg from "pg";
import t, { type Test } from "tap";
import { createLogger } from "../../../src/kit/logger.ts";
import { startBundledPostgres } from "../../../src/orchestrator/postgres/start-bundled-postgres.ts";
import { freshFolder } from "../../helpers/folder.ts";

const installDir = resolve(import.meta.dirname, "../../..");
const logger = createLogger("test", "silent");
const isRoot = process.getuid?.() === 0;

async function started(t: Test, dataDir: string) {
  const server = await startBundledPostgres({ installDir, dataDir, logger });
  t.teardown(() => server.stop());
  return server;
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

const home = (describe: string): string => / in (\S+)$/.exec(describe)?.[1] ?? "";

t.test("it starts, keeps its data over a stop, and listens on no network address", async (t) => {
  const dataDir = freshFolder(t);
  const first = await started(t, dataDir);
  await query(first.connection, "create table kept (n int)");
  await query(first.connection, "insert into kept values (7)");
  t.same(await query(first.connection, "show fsync"), [{ fsync: "on" }]);
  t.same(await query(first.connection, "show listen_addresses"), [{ listen_addresses: "" }]);
  t.equal(statSync(join(dataDir, "postgres-password")).mode & 0o777, 0o600);
  await t.rejects(query({ ...first.connection, password: "wrong" }, "select 1"), { code: "28P01" });
  await first.stop();
  await t.rejects(query(first.connection, "select 1"));
  const second = await started(t, dataDir);
  t.same(await query(second.connection, "select n from kept"), [{ n: 7 }]);
});

t.test("one that a killed daemon left running is found and used", async (t) => {
  const dataDir = freshFolder(t);
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

t.test("a pid file left by a crash does not stand in the way, whoever has the pid now", async (t) => {
  const dataDir = freshFolder(t);
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

t.test("a first start that was cut short is begun again", async (t) => {
  const dataDir = freshFolder(t);
  const probe = await started(t, dataDir);
  const place = home(probe.describe);
  await probe.stop();
  await rm(join(place, "data"), { recursive: true });
  mkdirSync(join(place, "data.new", "base"), { recursive: true });
  const server = await started(t, dataDir);
  t.same(await query(server.connection, "select 1 as one"), [{ one: 1 }]);
});

t.test("data of another major version is refused by name, and not touched", async (t) => {
  const dataDir = freshFolder(t);
  const server = await started(t, dataDir);
  const version = join(home(server.describe), "data", "PG_VERSION");
  await server.stop();
  writeFileSync(version, "12\n");
  await t.rejects(started(t, dataDir), { name: "BundledPostgresFailed", message: /was made by PostgreSQL 12/ });
  t.equal(readFileSync(version, "utf8"), "12\n");
});

t.test("several that start together end up with one server", async (t) => {
  const dataDir = freshFolder(t);
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
  await started(t, dataDir);
});

t.test("a data folder that the server's user cannot enter, and one too deep for a socket, both serve", async (t) => {
  const outer = freshFolder(t);
  const closed = join(outer, "closed");
  mkdirSync(closed);
  chmodSync(outer, 0o700);
  const server = await started(t, closed);
  t.same(await query(server.connection, "select 1 as one"), [{ one: 1 }]);
  t.equal(
    existsSync(join(closed, "postgres-is-in")),
    isRoot,
    "the data folder says where it went, if it went elsewhere",
  );
  // Its programs lie in that folder too: it is stopped before they go.
  if (isRoot) {
    t.teardown(async () => {
      await server.stop();
      await rm(home(server.describe), { recursive: true, force: true });
    });
  }
  const deep = join(freshFolder(t), "x".repeat(100));
  mkdirSync(deep);
  chmodSync(dirname(deep), 0o755);
  const far = await started(t, deep);
  t.ok(far.connection.host.length < 100);
  t.same(await query(far.connection, "select 1 as one"), [{ one: 1 }]);
});
