import { chown, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { execa } from "execa";
import { BundledPostgresError } from "./bundled-postgres-error.ts";
import { SETTINGS_FILE } from "./initialise-cluster.ts";
import { socketPath } from "./server-home.ts";
import type { ServerUser } from "./server-user.ts";

const START_DEADLINE_S = 60;
const STOP_DEADLINE_S = 30;
const CONNECT_TIMEOUT_MS = 2000;
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
}

/** Starts and stops the server with `pg_ctl`. Callers hold the lock of the data folder. */
export class ServerProcess {
  readonly #options: ServerProcessOptions;

  constructor(options: ServerProcessOptions) {
    this.#options = options;
  }

  /** Starts the server unless it runs. Returns whether it was running. */
  async start(): Promise<boolean> {
    const { data, home, socket, user } = this.#options;
    if (await accepts(socketPath(socket))) return true;
    await writeSettings(join(data, SETTINGS_FILE), socket, user);
    const log = join(home, "postgres.log");
    await rotateLog(log);
    const started = await this.#control(["-l", log, "-w", "-t", String(START_DEADLINE_S), "start"]);
    if (started.failed) throw await startError(log, started.stderr);
    return false;
  }

  async stop(): Promise<void> {
    const { home, socket } = this.#options;
    const fast = await this.#control(["-m", "fast", "-w", "-t", String(STOP_DEADLINE_S), "stop"]);
    if (fast.failed && (await accepts(socketPath(socket)))) await this.#control(["-m", "immediate", "-w", "stop"]);
    if (socket !== home) await rm(socket, { recursive: true, force: true });
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

/** Whether a server accepts connections. Its pid file proves nothing, since pids are reused. */
function accepts(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.setTimeout(CONNECT_TIMEOUT_MS);
    const done = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.on("connect", () => done(true));
    socket.on("timeout", () => done(false));
    socket.on("error", () => done(false));
  });
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
