import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import type { Test } from "tap";
import { orchctlOf, settingsOf } from "../helpers/backup.ts";
import { type Daemon, startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";

/** Of the file `large` in alice's folder, so that a backup and a restore take their time. */
export const LARGE_BYTES = 10 * 1024 * 1024;

export interface Host {
  readonly daemon: Daemon;
  readonly key: string;
  readonly scheduleId: string;
  readonly settings: Record<string, string>;
  readonly backups: string;
  readonly databaseUrl: string;
}

/** A daemon with one engine, alice's, and a schedule of it. */
export async function hostWithEngine(t: Test): Promise<Host> {
  const dataDir = freshFolder(t);
  const backups = join(freshFolder(t), "archives");
  const databaseUrl = await freshDatabaseUrl(t);
  const daemon = await startDaemon(t, { dataDir, databaseUrl, env: { ORCH_BACKUP_DIR: backups } });
  t.teardown(() => daemon.admin("/products/p?force=true", { method: "DELETE" }).catch(() => undefined));
  const { body } = await daemon.admin("/products/register", { method: "POST", body: { slug: "p" } });
  const key = body.platform_api_key as string;
  const { body: alice } = await daemon.platform(key, "/engines/provision", {
    method: "POST",
    body: { user_id: "alice" },
  });
  writeFileSync(join(dataDir, "engines", alice.id, "large"), randomBytes(LARGE_BYTES));
  const { body: schedule } = await daemon.platform(key, "/engines/alice/schedules", {
    method: "POST",
    body: {
      name: "daily",
      timing: { kind: "every", every_s: 86_400 },
      message: "/say good morning",
      missed: "run_once",
    },
  });
  return { daemon, key, scheduleId: schedule.id, settings: settingsOf(daemon), backups, databaseUrl };
}

export async function archiveOf(t: Test, { settings }: Host): Promise<string> {
  const created = await orchctlOf(t, settings)("--json", "backup", "create");
  t.equal(created.code, 0, created.stderr);
  const { dir, name } = JSON.parse(created.stdout);
  return join(dir, name);
}

/** The settings of a daemon that was never started. */
export async function emptyPlace(t: Test): Promise<Record<string, string>> {
  const first = 20_000 + Math.floor(Math.random() * 9000);
  return {
    ORCH_DATA_DIR: join(freshFolder(t), "data"),
    DATABASE_URL: await freshDatabaseUrl(t),
    ORCH_PORT_MIN: String(first),
    ORCH_PORT_MAX: String(first + 99),
  };
}

export async function daemonOf(t: Test, place: Record<string, string>): Promise<Daemon> {
  const { ORCH_DATA_DIR: dataDir = "", DATABASE_URL: databaseUrl = "", ...env } = place;
  const daemon = await startDaemon(t, { dataDir, databaseUrl, env });
  t.teardown(() => daemon.admin("/products/p?force=true", { method: "DELETE" }));
  return daemon;
}

/** As if the restored host had been down when its schedules were due. */
export async function makeDue({ DATABASE_URL: connectionString = "" }: Record<string, string>): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query("update schedules set next_due = date_trunc('milliseconds', now()) - interval '10 minutes'");
  await client.end();
}
