import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { readOrCreate } from "../../shared/files.ts";
import type { Logger } from "../../shared/logger.ts";
import { BundledPostgresError } from "./bundled-postgres-error.ts";
import { initialiseCluster } from "./initialise-cluster.ts";
import { type NamedConnection, type ServerSession, openServerSession } from "./server-session.ts";
import { serverFiles } from "./server-files.ts";
import { serverHome, socketFolder } from "./server-home.ts";
import { SERVER_PORT, ServerProcess } from "./server-process.ts";
import { serverUser } from "./server-user.ts";
import { acquireLock } from "../../shared/file-lock.ts";

const START_LOCK_WAIT_MS = 120_000;
const STOP_LOCK_WAIT_MS = 30_000;
const UNREACHABLE_MS = 30_000;

/** For servers and programs that the server's user cannot reach in their usual place. */
const SYSTEM_DIR = "/var/lib/orchd-postgres";

const newPassword = (): string => randomBytes(24).toString("base64url");

interface BundledPostgres {
  /** Connects as the daemon's role. */
  readonly connection: NamedConnection;
  /** Connects as the owner of the tables, for migrations only. */
  readonly owner: NamedConnection;
  /** The version and folder of the server, for the terminal. */
  readonly describe: string;
  /** Starts the server again if it has stopped, and replaces one that runs and does not answer. */
  ensureRunning(): Promise<void>;
  /** Stops the server unless another program uses it. Close all other sessions first. */
  stop(): Promise<void>;
}

/**
 * Starts the PostgreSQL that comes with the package, or connects to the one that an earlier daemon left running. The
 * server outlives its daemon until the last user stops it. A file lock serializes starts and stops. Throws
 * {@link BundledPostgresError}.
 */
export async function startBundledPostgres({
  installDir,
  dataDir,
  systemDir = SYSTEM_DIR,
  unreachableMs = UNREACHABLE_MS,
  logger,
}: {
  readonly installDir: string;
  readonly dataDir: string;
  readonly systemDir?: string;
  /** How long a running server may be silent before it is replaced. */
  readonly unreachableMs?: number;
  readonly logger: Logger;
}): Promise<BundledPostgres> {
  const lockFile = join(dataDir, "postgres.lock");
  const lock = await acquireLock(lockFile, START_LOCK_WAIT_MS);
  if (lock === null)
    throw new BundledPostgresError(`${lockFile} is still locked by another orchd; stop it, then start again`);
  try {
    const user = await serverUser();
    const home = await serverHome({ dataDir, systemDir }, user);
    const files = await serverFiles(installDir, user.uid === undefined ? home : systemDir, user);
    const socket = await socketFolder(home, user);
    const password = await readOrCreate(join(dataDir, "postgres-password"), newPassword);
    const cluster = await initialiseCluster(files, { home, serverUser: user, password });
    const server = new ServerProcess({ bin: files.bin, data: cluster.data, home, socket, user, unreachableMs, logger });
    const wasRunning = await server.start();
    if (wasRunning) logger.info({ home }, "found PostgreSQL running");
    const owner = { host: socket, port: SERVER_PORT, user: cluster.user, password, database: "postgres" };
    const daemonPassword = await readOrCreate(join(dataDir, "postgres-daemon-password"), newPassword);
    // With the lock held, so that no other daemon stops the server before the session is open.
    const session = await openServerSession({ owner, daemonPassword }, logger).catch(async (error: unknown) => {
      if (!wasRunning) await server.stop();
      throw new BundledPostgresError(
        `orchd failed to connect to the bundled PostgreSQL in ${home}: ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      );
    });
    let stopping: Promise<void> | undefined;
    const ending = new AbortController();
    return {
      connection: session.connection,
      owner: session.owner,
      describe: `bundled PostgreSQL ${files.version.split("-")[0]} in ${home}`,
      async ensureRunning() {
        const again = await acquireLock(lockFile, START_LOCK_WAIT_MS);
        if (again === null) throw new BundledPostgresError(`${lockFile} is still locked by another orchd`);
        try {
          if (stopping === undefined && !(await server.start(ending.signal)))
            logger.warn({ home }, "restarted PostgreSQL");
        } finally {
          again.release();
        }
      },
      stop() {
        ending.abort();
        stopping ??= stopUnlessUsed({ lockFile, session, server, logger });
        return stopping;
      },
    };
  } finally {
    lock.release();
  }
}

async function stopUnlessUsed({
  lockFile,
  session,
  server,
  logger,
}: {
  readonly lockFile: string;
  readonly session: ServerSession;
  readonly server: ServerProcess;
  readonly logger: Logger;
}): Promise<void> {
  const lock = await acquireLock(lockFile, STOP_LOCK_WAIT_MS);
  try {
    // A daemon that holds the lock this long is about to use the server.
    if ((await session.close()) === "in use" || lock === null) {
      logger.info("left PostgreSQL running for other users");
    } else {
      await server.stop();
    }
  } finally {
    lock?.release();
  }
}
