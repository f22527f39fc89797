import { chown, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import type { Logger } from "../../shared/logger.ts";
import type { ProcessStat } from "../../sandbox/processes.ts";
import { Deadline } from "../../shared/deadline.ts";
import { BundledPostgresError } from "./bundled-postgres-error.ts";
import { SETTINGS_FILE } from "./initialise-cluster.ts";
import { endPostmaster, findPostmaster, askPostmaster } from "./postmaster.ts";
import { socketPath } from "./server-home.ts";
import type { ServerUser } from "./server-user.ts";

const START_DEADLINE_S = 60;
const STOP_DEADLINE_S = 30;
const POLL_MS = 200;
const MAX_LOG_BYTES = 10 * 1024 * 1024;
export const SERVER_PORT = 5432;

interface ServerProcessOptions {
  /** The folder with `pg_ctl`. */
  readonly bin: string;
  /** PostgreSQL's data folder. */
  readonly data: string;
  readonly home: string;
  /** The folder of the Unix socket. */
  readonly socket: string;
  readonly user: ServerUser;
  /** How long a running server may be silent before it is replaced. */
  readonly unreachableMs: number;
  readonly logger: Logger;
}

/** Starts and stops the server. Callers hold the lock of the data folder. */
export class ServerProcess {
  readonly #options: ServerProcessOptions;

  constructor(options: ServerProcessOptions) {
    this.#options = options;
  }

  /**
   * Starts the server unless it runs. Returns whether it was running. One that does not answer for `unreachableMs` is
   * replaced; `signal` ends the wait for that.
   */
  async start(signal?: AbortSignal): Promise<boolean> {
    const { data, home, socket, user } = this.#options;
    if ((await this.#answersInTime(signal)) || signal?.aborted) return true;
    // Their pids may be those of zombies or of other programs, which the server would take for a running one.
    await rm(join(data, "postmaster.pid"), { force: true });
    await rm(`${socketPath(socket)}.lock`, { force: true });
    await writeSettings(join(data, SETTINGS_FILE), socket, user);
    const log = join(home, "postgres.log");
    await rotateLog(log);
    const started = await this.#control(["-l", log, "-w", "-t", String(START_DEADLINE_S), "start"]);
    if (started.failed) throw await startError(log, started.stderr);
    return false;
  }

  async stop(): Promise<void> {
    const { socket, home } = this.#options;
    // pg_ctl would signal whatever has the pid of a stale pid file.
    if (this.#find() !== null) {
      const fast = await this.#control(["-m", "fast", "-w", "-t", String(STOP_DEADLINE_S), "stop"]);
      const left = fast.failed ? this.#find() : null;
      if (left !== null) await endPostmaster(left);
    }
    if (socket !== home) await rm(socket, { recursive: true, force: true });
  }

  /** False when no server runs. Then nothing of an earlier one is left either. */
  async #answersInTime(signal?: AbortSignal): Promise<boolean> {
    const { socket, data, unreachableMs, logger } = this.#options;
    const end = new Deadline(unreachableMs);
    const isStopped = () => signal?.aborted === true;
    for (; !isStopped(); await sleep(POLL_MS)) {
      const answer = await askPostmaster(socketPath(socket));
      if (answer === "answers") return true;
      const silent = this.#find();
      if (silent === null && answer === "none") return false;
      if (!end.isOver) continue;
      if (silent === null)
        throw new BundledPostgresError(
          `a program that this daemon cannot see, such as one of another container, has the socket of PostgreSQL in ${socket} and does not answer; end it`,
        );
      logger.error({ pid: silent.pid, data }, "stopping PostgreSQL immediately: it runs and does not answer");
      if (await endPostmaster(silent)) return false;
      throw new BundledPostgresError(`the bundled PostgreSQL in ${data} does not answer, and survived SIGKILL`);
    }
    return false;
  }

  #find(): ProcessStat | null {
    const { data, user } = this.#options;
    return findPostmaster(data, user.uid ?? process.getuid?.() ?? -1);
  }

  #control(args: readonly string[]) {
    const { bin, data, home, user } = this.#options;
    return execa(join(bin, "pg_ctl"), ["-D", data, ...args], {
      ...user,
      cwd: home,
      extendEnv: false,
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8" },
      stdin: "ignore",
      reject: false,
      timeout: (START_DEADLINE_S + 10) * 1000,
    });
  }
}

async function writeSettings(file: string, socket: string, user: ServerUser): Promise<void> {
  const settings = {
    listen_addresses: "",
    port: String(SERVER_PORT),
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

async function startError(log: string, stderr: string): Promise<BundledPostgresError> {
  const text = await readFile(log, "utf8").catch(() => "");
  const lastLines = text.trim().split("\n").slice(-3).join(" | ") || stderr;
  return new BundledPostgresError(
    `the bundled PostgreSQL failed to start; the end of its log ${log}: ${lastLines.slice(-600)}`,
  );
}
