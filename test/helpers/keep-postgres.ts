/** Keeps the PostgreSQL of one test run: `keep-postgres.ts <folder> <pid> <start time>` of the run's process. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { createLogger } from "../../src/shared/logger.ts";
import { isAlive } from "../../src/sandbox/processes/process-table.ts";
import type { ServerConnection } from "../../src/orchestrator/postgres/server-session.ts";
import { openDatabase } from "../../src/orchestrator/store/database.ts";
import { migrateToLatest } from "../../src/orchestrator/store/migrate.ts";
import { startBundledPostgres } from "../../src/orchestrator/postgres/start-bundled-postgres.ts";
import { copyPostgres } from "./prepared-postgres.ts";
import { MIGRATED, type Outcome, outcomeFile } from "./shared-postgres.ts";
import { until } from "./until.ts";

const POLL_MS = 100;
const [folder = "", pid, startTime = ""] = process.argv.slice(2);
const run = { pid: Number(pid), startTime };
const asked = new AbortController();
process.once("SIGTERM", () => asked.abort());
writeFileSync(join(folder, "keeper.pid"), String(process.pid));

try {
  tell({ connection: await start() });
} catch (error) {
  tell({ failed: error instanceof Error ? error.message : String(error) });
}
while (isAlive(run) && !asked.signal.aborted) await sleep(POLL_MS);
await endServer();
rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

async function start() {
  copyPostgres(folder);
  const server = await startBundledPostgres({
    installDir: resolve(import.meta.dirname, "../.."),
    dataDir: folder,
    logger: createLogger("keeper", "silent"),
  });
  const { host, port, user, password, database } = server.owner;
  const client = new pg.Client(server.owner);
  await client.connect();
  // For several daemons at once; and nothing here has to outlive a power cut.
  for (const setting of ["max_connections = 300", "fsync = off", "full_page_writes = off", "autovacuum = off"])
    await client.query(`alter system set ${setting}`);
  // A daemon opens six connections at its start, and each hashes the password.
  await client.query("set scram_iterations = 1");
  await client.query(`alter role ${user} password '${password}'`);
  await client.end();
  await endServer();
  await server.ensureRunning();
  await createMigrated(server.owner);
  return { host, port, user, password, database };
}

/** The template of the tests' databases, which are then migrated already. */
async function createMigrated(owner: ServerConnection): Promise<void> {
  const client = new pg.Client(owner);
  await client.connect();
  await client.query(`create database ${MIGRATED}`);
  await client.end();
  const { db, close } = openDatabase({ ...owner, database: MIGRATED }, createLogger("keeper", "silent"));
  await migrateToLatest(db);
  await close();
}

/** At once and with all its sessions. */
async function endServer(): Promise<void> {
  const file = join(folder, "postgres/data/postmaster.pid");
  if (!existsSync(file)) return;
  const postmaster = Number(readFileSync(file, "utf8").split("\n")[0]);
  process.kill(postmaster, "SIGINT");
  await until("PostgreSQL has ended", () => !existsSync(file), 30_000);
}

/** Whole or not there. */
function tell(outcome: Outcome): void {
  writeFileSync(`${outcomeFile(folder)}.new`, JSON.stringify(outcome), { mode: 0o600 });
  renameSync(`${outcomeFile(folder)}.new`, outcomeFile(folder));
}
