import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import pg from "pg";
import t, { type Test } from "tap";
import { createLogger } from "../../src/shared/logger.ts";
import { startBundledPostgres } from "../../src/orchestrator/postgres/start-bundled-postgres.ts";
import { daemonGrants } from "../../src/orchestrator/store/migrate.ts";
import { type Daemon, freePort, launchDaemon, startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { orchctlFor } from "../helpers/orchctl.ts";
import { freshDatabase, urlOf } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";

const installDir = resolve(import.meta.dirname, "../..");
const REWRITES = [
  "update audit_log set entry = '{}'",
  "delete from audit_log",
  "truncate audit_log",
  "alter table audit_log disable trigger all",
  "drop trigger audit_log_unchanged on audit_log",
  "drop table audit_log",
  "set session_replication_role = replica",
  "set role orchd",
];

async function connect(t: Test, connection: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(connection);
  client.on("error", () => undefined);
  await client.connect();
  t.teardown(() => client.end());
  return client;
}

/** Everything that writes to the tables: products, engines, events, audit lines, stored answers. */
async function useAll(t: Test, daemon: Daemon, slug: string): Promise<void> {
  const { status, body } = await daemon.admin("/products/register", { method: "POST", body: { slug } });
  t.equal(status, 201);
  const call = (method: string, path: string, sent: object = {}) =>
    daemon.platform(body.platform_api_key, path, { method, body: sent, headers: { "idempotency-key": path } });
  t.equal((await call("POST", "/engines/provision", { user_id: "alice" })).status, 201);
  t.equal((await call("POST", "/engines/alice/rotate-key")).status, 200);
  t.equal((await call("POST", "/engines/alice/stop")).status, 200);
  t.equal((await daemon.admin(`/products/${slug}/policy`, { method: "PUT", body: { drain_s: 1 } })).status, 200);
  t.equal((await daemon.admin("/admin/drain", { method: "POST" })).status, 200);
  t.equal((await daemon.admin("/admin/resume", { method: "POST" })).status, 200);
  t.equal((await daemon.admin(`/products/${slug}?force=true`, { method: "DELETE" })).status, 200);
}

/** A daemon on the bundled server, of the tests that come first. */
const dataDir = freshFolder(t);
const bundled = await startDaemon(t, { dataDir });

t.test("on the bundled server the daemon works as a role that cannot rewrite the audit log", async (t) => {
  await useAll(t, bundled, "acme");
  const server = { host: join(dataDir, "postgres"), database: "postgres" };
  const password = (name: string) => readFileSync(join(dataDir, name), "utf8").trim();
  const owner = await connect(t, { ...server, user: "orchd", password: password("postgres-password") });
  const { rows } = await owner.query(
    "select distinct usename from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
  );
  t.same(rows, [{ usename: "orchd_daemon" }]);
  const asDaemon = await connect(t, {
    ...server,
    user: "orchd_daemon",
    password: password("postgres-daemon-password"),
  });
  for (const statement of REWRITES) await t.rejects(asDaemon.query(statement), { code: "42501" }, statement);
  t.same((await bundled.admin("/admin/status")).body.warnings, []);
});

t.test("an installation of before, or one whose first such start was cut short, is put right", async (t) => {
  await bundled.stop();
  const logger = createLogger("test", "silent");
  for (const [what, damage] of [
    ["there is no role", "drop owned by orchd_daemon; drop role orchd_daemon"],
    [
      "it has no privileges and another password",
      "drop owned by orchd_daemon; alter role orchd_daemon password 'x' superuser",
    ],
  ] as const) {
    const server = await startBundledPostgres({ installDir, dataDir, logger });
    const owner = new pg.Client(server.owner);
    await owner.connect();
    await owner.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'orchd_daemon'");
    await owner.query(damage);
    await owner.end();
    await server.stop();
    const daemon = await startDaemon(t, { dataDir });
    await useAll(t, daemon, "again");
    t.ok((await daemon.admin("/admin/audit")).body.data.length > 6, what);
    await daemon.stop();
  }
});

t.test("on another PostgreSQL the documented grants suffice, and one role for everything is a warning", async (t) => {
  const database = await freshDatabase(t);
  const dataDir = freshFolder(t);
  const owner = await startDaemon(t, { dataDir, databaseUrl: urlOf(database) });
  t.match((await owner.admin("/admin/status")).body.warnings, [/may rewrite the audit log/]);
  t.match(owner.output(), /may rewrite the audit log/);
  await owner.stop();

  const document = readFileSync(join(installDir, "docs/operating.md"), "utf8");
  const [, grants = ""] = /<!-- database grants -->\n+```sql\n([^`]+)```/.exec(document) ?? [];
  t.equal(
    grants,
    daemonGrants("orchd_daemon")
      .map((grant) => `${grant};\n`)
      .join(""),
    "those of the bundled server",
  );
  const role = `orchd_test_${process.pid}`;
  const admin = await connect(t, database);
  await admin.query(`create role ${role} login password 'x'`);
  await admin.query(grants.replaceAll(/\borchd_daemon\b/g, role));
  t.teardown(async () => {
    const last = new pg.Client(database);
    await last.connect();
    await last.query(`drop owned by ${role}; drop role ${role}`);
    await last.end();
  });
  const databaseUrl = urlOf({ ...database, user: role, password: "x" });
  const daemon = await startDaemon(t, { dataDir, databaseUrl });
  await useAll(t, daemon, "acme");
  t.same((await daemon.admin("/admin/status")).body.warnings, []);
  const asDaemon = await connect(t, { connectionString: databaseUrl });
  for (const statement of REWRITES.slice(0, -1))
    await t.rejects(asDaemon.query(statement), { code: "42501" }, statement);
  await daemon.stop();

  await admin.query("delete from kysely_migration where name >= '0007'");
  const { process: refused, output } = launchDaemon({
    ORCH_DATA_DIR: dataDir,
    ORCH_PORT: String(await freePort()),
    DATABASE_URL: databaseUrl,
  });
  await until("it has ended", () => refused.exitCode !== null);
  t.match(output(), /may not migrate the tables .* start orchd once as their owner/);
});

t.test("heads of the chain are recorded outside the database, and tell who rewrote it there", async (t) => {
  const database = await freshDatabase(t);
  const dataDir = freshFolder(t);
  let daemon = await startDaemon(t, { dataDir, databaseUrl: urlOf(database) });
  const file = join(dataDir, "audit-heads");
  const headIs = (seq: number) =>
    until(
      "the head is recorded",
      () => existsSync(file) && new RegExp(` ${seq}:[0-9a-f]{64}\\n$`).test(readFileSync(file, "utf8")),
    );
  const switchDraining = async (times: number) => {
    for (let n = 0; n < times; n++) await daemon.admin("/admin/resume", { method: "POST" });
  };
  const orchctl = orchctlFor(t, daemon);
  const verify = () => orchctl(["audit", "verify"], { env: { ORCH_DATA_DIR: dataDir } });
  await switchDraining(3);
  await headIs(3);
  t.equal(statSync(file).mode & 0o777, 0o600);
  await until("the head is logged", () => /"head":"3:[0-9a-f]{64}"/.test(daemon.output()));
  await switchDraining(2);
  await daemon.stop();
  await headIs(5);
  daemon = await startDaemon(t, {
    dataDir,
    databaseUrl: urlOf(database),
    env: { ORCH_PORT: new URL(daemon.url).port },
  });
  t.match(await verify(), {
    code: 0,
    stdout: /^5 lines hold, head 5:[0-9a-f]{64}; compared with \d recorded heads\n$/,
  });

  const admin = await connect(t, database);
  await admin.query("alter table audit_log disable trigger all; delete from audit_log where seq > 4");
  await until("the daemon tells", () => daemon.output().includes("audit log was rewritten or truncated"));
  t.match(await verify(), { code: 1, stderr: /line 5 is missing: the log was truncated before line 5\n/ });
  await switchDraining(1);
  await until("the head is recorded", () => readFileSync(file, "utf8").match(/ 5:/g)?.length === 2);
  t.match(await verify(), {
    code: 1,
    stderr: /line 5 differs from the recorded one: the log was replaced after line \d\n/,
  });
});
