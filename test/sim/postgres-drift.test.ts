import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import pg from "pg";
import t, { type Test } from "tap";
import { openDatabase } from "../../src/orchestrator/store/database.ts";
import { migrateToLatest } from "../../src/orchestrator/store/migrate.ts";
import { createLogger } from "../../src/shared/logger.ts";
import { createDatabase, sharedPostgres } from "../helpers/shared-postgres.ts";
import { type Entry, comparable } from "./postgres/transcript.ts";

const SEEDS = 8;
/** A statement that waits here did not wait in the model. */
const BLOCKED_MS = 5000;

/** The model and PostgreSQL count rows that were rolled back differently. */
const UNCOMPARED = new Set(["seq"]);
/** Of the server itself, which has other pids and no clock that can be set. */
const SYSTEM = /pg_terminate_backend|pg_backend_pid|^\s*listen |^select 1$|set_config\(name, value, false\)/i;

/** A migrated database whose `now()` is the setting `sim.now`, also where the migrations use it. */
async function simulatedClock(t: Test): Promise<pg.ClientConfig> {
  const server = await sharedPostgres();
  const connection = { ...server, database: await createDatabase(t, server) };
  const client = new pg.Client(connection);
  await client.connect();
  await client.query("create schema sim");
  for (const name of ["now", "clock_timestamp"])
    await client.query(`create function sim.${name}() returns timestamptz language sql stable as
      $$ select coalesce(nullif(current_setting('sim.now', true), '')::timestamptz, pg_catalog.now()) $$`);
  await client.end();
  const simulated = { ...connection, options: "-c search_path=sim,pg_catalog,public" };
  const { db, close } = openDatabase(simulated, createLogger("test", "silent"));
  await migrateToLatest(db);
  await close();
  return simulated;
}

/** Asks a real server what the simulated one was asked, in the same order. Returns the differences. */
async function replay(
  connection: pg.ClientConfig,
  entries: readonly Entry[],
): Promise<{ readonly differences: readonly unknown[]; readonly compared: number }> {
  let compared = 0;
  const sessions = new Map<number, pg.Client>();
  const differences: unknown[] = [];
  for (const entry of entries) {
    const known = sessions.get(entry.session);
    if (entry.sql === null) {
      await known?.end();
      sessions.delete(entry.session);
      continue;
    }
    const client = known ?? new pg.Client({ ...connection, statement_timeout: BLOCKED_MS });
    if (known === undefined) await client.connect();
    sessions.set(entry.session, client);
    const got = await ask(client, entry);
    if (got !== null) compared++;
    if (got === null || JSON.stringify(got) === JSON.stringify(outcomeOf(entry))) continue;
    const { sql, parameters } = entry;
    differences.push({ sql, parameters, model: JSON.stringify(outcomeOf(entry)), postgres: JSON.stringify(got) });
    if (differences.length === 3) break;
  }
  for (const client of sessions.values()) await client.end();
  return { differences, compared };
}

type Statement = Extract<Entry, { sql: string }>;

/** Null for a statement that is not compared. */
async function ask(client: pg.Client, { sql, parameters, now, outcome }: Statement): Promise<unknown> {
  if (/unnest.*set_config|set_config\(name/s.test(sql)) {
    const [names, values] = parameters as readonly (readonly string[])[];
    for (const [at, name] of (names ?? []).entries())
      if (name.startsWith("orchd.")) await client.query("select set_config($1, $2, false)", [name, values?.[at]]);
    return null;
  }
  if (SYSTEM.test(sql)) return null;
  const isAborted = "code" in outcome && outcome.code === "25P02";
  if (!isAborted)
    await client.query("select set_config('sim.now', $1, false)", [new Date(now).toISOString()]).catch(() => null);
  try {
    const { rows, rowCount } = await client.query(sql, [...parameters]);
    return normalized({ sql, rows, count: rowCount ?? 0 });
  } catch (error) {
    return { code: error instanceof Error && "code" in error ? error.code : String(error) };
  }
}

const outcomeOf = ({ sql, outcome }: Statement): unknown =>
  "code" in outcome ? outcome : normalized({ sql, rows: outcome.rows, count: outcome.count });

function normalized({
  sql,
  rows,
  count,
}: {
  readonly sql: string;
  readonly rows: readonly unknown[];
  readonly count: number;
}) {
  const shown = rows.map((row) => inOneOrder(comparable(row)));
  const isOrdered = /order by/i.test(sql);
  const all = isOrdered
    ? shown
    : shown.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  return /^(begin|commit|rollback)/i.test(sql) ? null : { rows: all, count };
}

/** The fields of each object by name, without those that are not compared. */
function inOneOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOneOrder);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => !UNCOMPARED.has(name));
  return Object.fromEntries(
    fields.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([name, one]) => [name, inOneOrder(one)]),
  );
}

t.test("PostgreSQL answers every statement of simulated runs as its model does", async (t) => {
  const folder = t.testdir();
  const program = join(import.meta.dirname, "run.ts");
  const ran = await execa(process.execPath, [program, "--transcripts", folder, "1", String(SEEDS)], {
    env: { NODE_OPTIONS: "" },
    reject: false,
    all: true,
  });
  t.equal(ran.exitCode, 0, ran.all);
  let compared = 0;
  const migrated = await simulatedClock(t);
  for (const file of readdirSync(folder).sort()) {
    const copy = `template ${migrated.database} strategy file_copy`;
    const connection = { ...migrated, database: await createDatabase(t, await sharedPostgres(), copy) };
    const entries: readonly Entry[] = JSON.parse(readFileSync(join(folder, file), "utf8"));
    const replayed = await replay(connection, entries);
    compared += replayed.compared;
    t.same(replayed.differences, [], file);
  }
  t.ok(compared > 1000, `${compared} statements`);
});
