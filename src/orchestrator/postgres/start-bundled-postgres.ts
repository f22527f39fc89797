import { randomBytes } from "node:crypto";
import { chown, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { execa } from "execa";
import type { Logger } from "../../shared/logger.ts";
import { BundledPostgresError } from "./bundled-postgres-error.ts";
import { SETTINGS_FILE, initialiseCluster } from "./initialise-cluster.ts";
import { type NamedConnection, type Presence, enter } from "./server-session.ts";
import { serverFiles } from "./server-files.ts";
import { serverHome, socketFolder, socketPath } from "./server-home.ts";
import { type ServerUser, serverUser } from "./server-user.ts";
import { takeLock } from "./file-lock.ts";

const START_DEADLINE_S = 60;
const STOP_DEADLINE_S = 30;
const START_LOCK_WAIT_MS = 120_000;
const STOP_LOCK_WAIT_MS = 30_000;
const MAX_LOG_BYTES = 10 * 1024 * 1024;
const PORT = 5432;

/** For servers and programs that cannot lie where they belong because the server's user does not get there. */
const SYSTEM_DIR = "/var/lib/orchd-postgres";

export interface BundledPostgres {
  /** As the role that the daemon works as. */
  readonly connection: NamedConnection;
  /** As the role that owns the tables: for migrations alone. */
  readonly owner: NamedConnection;
  /** For people: what runs, and where its files and its log lie. */
  readonly describe: string;
  /** Starts the server again if it has ended. */
  ensureRunning(): Promise<void>;
  /** Once our other sessions are closed; the server goes on while anybody else has one. */
  stop(): Promise<void>;
}

/**
 * Starts the PostgreSQL that comes with the package, or finds the one that an earlier daemon left running. It is a
 * server of its own that outlives us until the last who uses it stops; those that start or stop together do so one
 * after the other.
 */
export async function startBundledPostgres({
  installDir,
  dataDir,
  systemDir = SYSTEM_DIR,
  logger,
}: {
  readonly installDir: string;
  readonly dataDir: string;
  readonly systemDir?: string;
  readonly logger: Logger;
}): Promise<BundledPostgres> {
  const lockFile = join(dataDir, "postgres.lock");
  const lock = await takeLock(lockFile, START_LOCK_WAIT_MS);
  if (lock === null) throw new BundledPostgresError(`another orchd has held ${lockFile} for too long; end it first`);
  try {
    const user = await serverUser();
    const home = await serverHome({ dataDir, systemDir }, user);
    const files = await serverFiles(installDir, user.uid === undefined ? home : systemDir, user);
    const socket = await socketFolder(home, user);
    const password = await keptPassword(join(dataDir, "postgres-password"));
    const cluster = await initialiseCluster(files, { home, serverUser: user, password });
    const log = join(home, "postgres.log");
    const control = (args: readonly string[]) =>
      pgControl(files.bin, { args: ["-D", cluster.data, ...args], home, user });
    const stopServer = async () => {
      const polite = await control(["-m", "fast", "-w", "-t", String(STOP_DEADLINE_S), "stop"]);
      if (polite.failed && (await answers(socketPath(socket)))) await control(["-m", "immediate", "-w", "stop"]);
      if (socket !== home) await rm(socket, { recursive: true, force: true });
    };
    /** True when it ran already. */
    const startServer = async (): Promise<boolean> => {
      if (await answers(socketPath(socket))) return true;
      await writeSettings(join(cluster.data, SETTINGS_FILE), socket, user);
      await rotateLog(log);
      const started = await control(["-l", log, "-w", "-t", String(START_DEADLINE_S), "start"]);
      if (started.failed) throw await startFailure(log, started.stderr);
      return false;
    };
    const isRunning = await startServer();
    if (isRunning) logger.info({ home }, "found PostgreSQL running");
    const owner = { host: socket, port: PORT, user: cluster.user, password, database: "postgres" };
    const daemonPassword = await keptPassword(join(dataDir, "postgres-daemon-password"));
    // Before the lock is given back: otherwise another daemon's stop could come between start and first use.
    const presence = await enter({ owner, daemonPassword }, logger).catch(async (error: unknown) => {
      if (!isRunning) await stopServer();
      throw new BundledPostgresError(
        `the bundled PostgreSQL in ${home} does not let orchd in: ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      );
    });
    let stopping: Promise<void> | undefined;
    return {
      connection: presence.connection,
      owner: presence.owner,
      describe: `bundled PostgreSQL ${files.version.split("-")[0]} in ${home}`,
      async ensureRunning() {
        const again = await takeLock(lockFile, START_LOCK_WAIT_MS);
        try {
          if (stopping === undefined && !(await startServer()))
            logger.warn({ home }, "PostgreSQL had ended: started again");
        } finally {
          again?.release();
        }
      },
      stop: () => (stopping ??= stopUnlessUsed({ lockFile, presence, stopServer, logger })),
    };
  } finally {
    lock.release();
  }
}

async function stopUnlessUsed({
  lockFile,
  presence,
  stopServer,
  logger,
}: {
  readonly lockFile: string;
  readonly presence: Presence;
  readonly stopServer: () => Promise<void>;
  readonly logger: Logger;
}): Promise<void> {
  const lock = await takeLock(lockFile, STOP_LOCK_WAIT_MS);
  try {
    // Who holds the lock for so long is about to use the server.
    if ((await presence.leave()) === "others stay" || lock === null) {
      logger.info("PostgreSQL goes on: others use it");
    } else {
      await stopServer();
    }
  } finally {
    lock?.release();
  }
}

function pgControl(bin: string, { args, home, user }: { args: readonly string[]; home: string; user: ServerUser }) {
  return execa(join(bin, "pg_ctl"), args, {
    ...user,
    cwd: home,
    extendEnv: false,
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8" },
    stdin: "ignore",
    reject: false,
    timeout: (START_DEADLINE_S + 10) * 1000,
  });
}

/** Whether a server listens: its pid file alone proves nothing, for pids are used again. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.setTimeout(2000);
    const done = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.on("connect", () => done(true));
    socket.on("timeout", () => done(false));
    socket.on("error", () => done(false));
  });
}

async function keptPassword(file: string): Promise<string> {
  try {
    await writeFile(file, randomBytes(24).toString("base64url"), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  return (await readFile(file, "utf8")).trim();
}

async function writeSettings(file: string, socket: string, user: ServerUser): Promise<void> {
  const settings = {
    listen_addresses: "",
    port: String(PORT),
    unix_socket_directories: socket,
    unix_socket_permissions: "0700",
    max_connections: "60",
    shared_buffers: "32MB",
    wal_level: "minimal",
    max_wal_senders: "0",
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`);
  await writeFile(file, `# Written by orchd at each start.\n${lines.join("\n")}\n`, { mode: 0o600 });
  if (user.uid !== undefined) await chown(file, user.uid, user.gid);
}

async function rotateLog(log: string): Promise<void> {
  const size = await stat(log).then(
    ({ size: bytes }) => bytes,
    () => 0,
  );
  if (size > MAX_LOG_BYTES) await rename(log, `${log}.1`);
}

async function startFailure(log: string, stderr: string): Promise<BundledPostgresError> {
  const text = await readFile(log, "utf8").catch(() => "");
  const words = text.trim().split("\n").slice(-3).join(" | ") || stderr;
  return new BundledPostgresError(`the bundled PostgreSQL does not start; its log ${log} ends: ${words.slice(-600)}`);
}
