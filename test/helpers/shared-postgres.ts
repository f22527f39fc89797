import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import pg from "pg";
import type { Test } from "tap";
import type { ServerConnection } from "../../src/orchestrator/postgres/server-session.ts";
import { compileCache } from "./compile-cache.ts";
import { runFolder, thisRun } from "./run.ts";
import { until } from "./until.ts";

/** The database that those of the tests are copies of. */
export const MIGRATED = "orchd_migrated";
const KEEPER = resolve(import.meta.dirname, "keep-postgres.ts");
/** First the copy of its programs, then initdb, on a host that does three other things. */
const START_MS = 180_000;

/** How the keeper tells what became of its server. */
export type Outcome = { readonly connection: ServerConnection } | { readonly failed: string };

export const outcomeFile = (folder: string): string => join(folder, "outcome.json");

/**
 * The PostgreSQL that all files of a test run share, for to make one takes longer than most tests. Begun by the file
 * that asks first, in a process that ends it when the run is over, however the run ends.
 */
export async function sharedPostgres(): Promise<ServerConnection> {
  const run = thisRun();
  const folder = runFolder(run);
  if (makes(folder)) {
    const { PATH = "" } = process.env;
    const args = [KEEPER, folder, String(run.pid), run.startTime];
    spawn(process.execPath, args, {
      detached: true,
      stdio: "ignore",
      env: { PATH, HOME: folder, ...compileCache },
    }).unref();
  }
  await until("the run's PostgreSQL is there", () => existsSync(outcomeFile(folder)), START_MS);
  const outcome: Outcome = JSON.parse(readFileSync(outcomeFile(folder), "utf8"));
  if ("failed" in outcome) throw new Error(`the run's PostgreSQL does not start: ${outcome.failed}`);
  return outcome.connection;
}

/** A new, migrated database on it; dropped after the test, with whoever still uses it. */
export async function freshDatabase(t: Test): Promise<ServerConnection> {
  const connection = await sharedPostgres();
  // On a server without fsync this costs half the CPU time of the default, which logs each page.
  return { ...connection, database: await createDatabase(t, connection, `template ${MIGRATED} strategy file_copy`) };
}

/** The same as an address for a daemon. */
export const freshDatabaseUrl = async (t: Test): Promise<string> => urlOf(await freshDatabase(t));

export function urlOf({ host, user, password, database }: ServerConnection): string {
  return `postgres://${user}:${password}@localhost/${database}?host=${encodeURIComponent(host)}`;
}

/** Gives its name; dropped after the test. */
export async function createDatabase(t: Test, server: pg.ClientConfig, options = ""): Promise<string> {
  const name = `orchd_test_${randomBytes(6).toString("hex")}`;
  const run = async (statement: string) => {
    const client = new pg.Client(server);
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  await run(`create database ${name} ${options}`);
  t.teardown(() => run(`drop database if exists ${name} with (force)`));
  return name;
}

/** True for one of those that come for it at once. */
function makes(folder: string): boolean {
  try {
    mkdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
  // The server runs as another user when we are root.
  chmodSync(folder, 0o711);
  return true;
}
