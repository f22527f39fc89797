import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Test } from "tap";
import { isPortFree } from "../../src/orchestrator/fleet/process/port-check.ts";
import { type Answer, type Ask, ask } from "./api.ts";
import { compileCache } from "./compile-cache.ts";
import { copyEngineCache } from "./engine-cache.ts";
import { freshFolder } from "./folder.ts";
import { endBroker } from "./model-broker.ts";
import { copyPostgres } from "./prepared-postgres.ts";
import { until } from "./until.ts";

/** Each spare costs as much CPU time as a boot, so only tests of spares have them. `auto` is the default. */
const NO_SPARES = { ORCH_WARM_ENGINES: "0" };
const root = resolve(import.meta.dirname, "../..");

export interface Daemon {
  readonly url: string;
  readonly dataDir: string;
  readonly adminKey: string;
  readonly process: ChildProcess;
  /** What it has printed so far, standard output and error. */
  output(): string;
  admin(path: string, call?: Ask): Promise<Answer>;
  platform(key: string, path: string, call?: Ask): Promise<Answer>;
  /** SIGTERM by default; resolves with the exit code when it is gone. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface DaemonSettings {
  readonly dataDir: string;
  /** A `postgres://` address; left out, the bundled server under the data folder. */
  readonly databaseUrl?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A program that takes the engine's place: the path of a fixture. */
  readonly engine?: string;
  /** A module that runs in the daemon before it; messages go to and from it. */
  readonly preload?: string;
  /** A command that runs its arguments in its own place, such as `setpriv` as another user. */
  readonly through?: readonly string[];
  /** Runs the daemon as this user and group. */
  readonly uid?: number;
}

/** Starts the built daemon as its own process, on free ports, and waits until it is ready. */
export async function startDaemon(
  t: Test,
  {
    dataDir,
    databaseUrl,
    env = {},
    engine,
    preload,
    uid,
    through = uid === undefined ? [] : asUser(uid),
  }: DaemonSettings,
): Promise<Daemon> {
  const port = Number(env["ORCH_PORT"] ?? (await freePort()));
  const portMin = 20_000 + Math.floor(Math.random() * 9000);
  const installDir = engine === undefined ? root : installWithEngine(freshFolder(t, "orchd-install"), engine);
  const settings = {
    ORCH_DATA_DIR: dataDir,
    ORCH_PORT: String(port),
    ORCH_PORT_MIN: String(portMin),
    ORCH_PORT_MAX: String(portMin + 199),
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    ...env,
  };
  // A daemon that makes its folder also makes what is in it.
  if (existsSync(dataDir)) {
    copyEngineCache(dataDir);
    if (databaseUrl === undefined) copyPostgres(dataDir);
  }
  const { process, output } = launchDaemon(settings, { installDir, preload, through });
  const url = `http://127.0.0.1:${port}`;
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    if (process.exitCode === null && process.signalCode === null) {
      const exited = once(process, "exit");
      process.kill(signal);
      await exited;
    }
    return process.exitCode;
  };
  t.teardown(async () => {
    await stop();
    endBroker(dataDir);
  });
  await until(
    "the daemon is ready",
    async () => {
      const { exitCode, signalCode } = process;
      if (exitCode !== null || signalCode !== null) {
        throw new Error(`the daemon ended with ${exitCode ?? signalCode}:\n${output()}`);
      }
      return (await ask(url, "/ready").catch(() => null))?.status === 200;
    },
    60_000,
  );
  const adminKey = env["ORCH_ADMIN_KEY"] ?? readFileSync(join(dataDir, "admin-key"), "utf8").trim();
  const withHeader =
    (name: string, value: string) =>
    (path: string, call: Ask = {}) =>
      ask(url, path, { ...call, headers: { [name]: value, ...call.headers } });
  return {
    url,
    dataDir,
    adminKey,
    process,
    output,
    admin: withHeader("x-admin-key", adminKey),
    platform: (key, path, call) => withHeader("x-platform-key", key)(path, call),
    stop,
  };
}

/** Starts the built daemon with just this environment and does not wait for it. */
export function launchDaemon(
  env: Readonly<Record<string, string>>,
  {
    installDir = root,
    preload,
    args = [],
    through = [],
  }: {
    readonly installDir?: string;
    readonly preload?: string | undefined;
    readonly args?: readonly string[];
    readonly through?: readonly string[] | undefined;
  } = {},
): { process: ChildProcess; output: () => string } {
  const options = preload === undefined ? [] : ["--import", preload];
  const [program = "", ...rest] = [...through, process.execPath, ...options, join(installDir, "bin/orchd.js"), ...args];
  const child = spawn(program, rest, {
    env: { PATH: process.env["PATH"] ?? "", HOME: installDir, ...compileCache, ...NO_SPARES, ...env },
    stdio: ["ignore", "pipe", "pipe", ...(preload === undefined ? [] : (["ipc"] as const))],
  });
  let printed = "";
  child.stdout?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  return { process: child, output: () => printed };
}

const asUser = (uid: number): string[] => ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--"];

/** An installation like ours whose engines are another program. */
function installWithEngine(dir: string, engine: string): string {
  mkdirSync(join(dir, "bin"), { recursive: true });
  for (const file of ["orchd.js", "launch.js"]) copyFileSync(join(root, "bin", file), join(dir, "bin", file));
  copyFileSync(join(root, "package.json"), join(dir, "package.json"));
  // A link: fixtures share code by paths of their own.
  symlinkSync(engine, join(dir, "bin/orch-engine.cjs"));
  symlinkSync(join(root, "node_modules"), join(dir, "node_modules"));
  mkdirSync(join(dir, "dist"));
  // Without the engine's programs and snapshots.
  for (const name of readdirSync(join(root, "dist")).filter((name) => !name.startsWith("engine")))
    symlinkSync(join(root, "dist", name), join(dir, "dist", name));
  return dir;
}

/** Below the ports that the kernel gives to outgoing connections, and those of engines: nobody else takes it meanwhile. */
export function freePort(): Promise<number> {
  return until("a port is free", async () => {
    // `fetch` refuses port 10080.
    const port = randomInt(10_081, 20_000);
    return (await isPortFree("127.0.0.1", port)) ? port : 0;
  });
}
