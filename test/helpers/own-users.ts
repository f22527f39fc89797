import { spawnSync } from "node:child_process";
import { chownSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Test } from "tap";
import { type Daemon, startDaemon } from "./daemon.ts";
import { freshFolder } from "./folder.ts";
import { freshDatabaseUrl } from "./shared-postgres.ts";

export const skip = process.getuid?.() === 0 ? false : "only root may start the daemon as another user";
const NOBODY = 65_534;
const CAPABILITIES = "+setuid,+setgid,+chown,+dac_override,+fowner,+kill";
const AS_NOBODY = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--no-new-privs"];
/** The default of ORCH_ENGINE_UID_MIN. */
export const FIRST_UID = 1_900_000_000;

/** How the daemon runs: by root, as the unit starts it, and as an ordinary user. */
export const DAEMONS = {
  root: { uid: 0, through: [], ownUsers: true },
  unit: {
    uid: NOBODY,
    through: [
      ...AS_NOBODY,
      `--inh-caps=${CAPABILITIES}`,
      `--ambient-caps=${CAPABILITIES}`,
      `--bounding-set=-all,${CAPABILITIES}`,
    ],
    ownUsers: true,
  },
  ordinary: { uid: NOBODY, through: [...AS_NOBODY, "--inh-caps=-all"], ownUsers: false },
} as const;
export type Kind = keyof typeof DAEMONS;

export interface Site {
  readonly dataDir: string;
  /** Unset: the daemon's own server. An ordinary user cannot reach the tests'. */
  readonly databaseUrl: string | undefined;
  /** The same for all daemons of the site, which follow each other. */
  readonly ports: Readonly<Record<string, string>>;
}

export async function newSite(t: Test, kind: Kind): Promise<Site> {
  const dataDir = freshFolder(t);
  chownSync(dataDir, DAEMONS[kind].uid, DAEMONS[kind].uid);
  const first = 20_000 + Math.floor(Math.random() * 9000);
  const ports = { ORCH_PORT_MIN: String(first), ORCH_PORT_MAX: String(first + 99) };
  return { dataDir, databaseUrl: kind === "ordinary" ? undefined : await freshDatabaseUrl(t), ports };
}

/** The engines of the site's last daemon are destroyed at the end of the test. */
export async function startOn(t: Test, kind: Kind, { dataDir, databaseUrl, ports }: Site, env = {}): Promise<Daemon> {
  const database = databaseUrl === undefined ? {} : { databaseUrl };
  const daemon = await startDaemon(t, {
    dataDir,
    ...database,
    through: DAEMONS[kind].through,
    env: { ...ports, ...env },
  });
  t.teardown(() => daemon.admin("/products/p?force=true", { method: "DELETE" }).catch(() => undefined));
  return daemon;
}

/** Returns the platform key. */
export async function register(daemon: Daemon): Promise<string> {
  const { body } = await daemon.admin("/products/register", { method: "POST", body: { slug: "p" } });
  return body.platform_api_key as string;
}

export async function provision(daemon: Daemon, key: string, user: string) {
  const call = { method: "POST", body: { user_id: user } };
  const { status, body } = await daemon.platform(key, "/engines/provision", call);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return { pid: body.pid as number, id: body.id as string, port: body.port as number };
}

export const post = (daemon: Daemon, key: string, path: string) =>
  daemon.platform(key, path, { method: "POST", body: {} });

export const folderOf = ({ dataDir }: Site, { id }: { readonly id: string }): string => join(dataDir, "engines", id);

export const statusLine = (pid: number, name: string): string =>
  new RegExp(`^${name}:(.*)$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]?.trim() ?? "";

/** The output of a shell command of a user without capabilities and groups. */
export function shellAs(uid: number, command: string): string {
  const user = [`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--inh-caps=-all"];
  const { stdout, stderr } = spawnSync("setpriv", [...user, "sh", "-c", command], { cwd: "/", encoding: "utf8" });
  return stdout + stderr;
}
