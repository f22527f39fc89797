import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { Test } from "tap";
import { compileCache } from "./compile-cache.ts";
import type { FakeServer } from "./fake-server.ts";

const root = resolve(import.meta.dirname, "../..");
const RUNNER = join(root, "test/fixtures/orchctl-runner.cjs");

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** What standard input holds; nothing when left out. */
  readonly input?: string;
  /** Called with what has been printed so far, to act on it. Then the command line has a process of its own. */
  readonly onOutput?: (printed: string, child: ReturnType<typeof spawn>) => void;
  /** Runs it in a process of its own. */
  readonly ownProcess?: boolean;
}

export interface Orchctl {
  (args: readonly string[], options?: RunOptions): Promise<Ran>;
  readonly configDir: string;
  /** What a run's environment holds. */
  readonly env: Readonly<Record<string, string>>;
}

/** The built command line, with a home of its own and nothing else in its environment. */
export function orchctlFor(t: Test, server: Pick<FakeServer, "url">): Orchctl {
  const home = t.testdir({});
  const configDir = join(home, "config");
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    ORCH_URL: server.url,
    ORCH_DATA_DIR: join(home, "data"),
    ORCHCTL_CONFIG_DIR: configDir,
    ...compileCache,
  };
  const run = (args: readonly string[], { ownProcess = false, onOutput, ...options }: RunOptions = {}) =>
    ownProcess || onOutput !== undefined
      ? runInOwnProcess(args, env, { ...options, ...(onOutput && { onOutput }) })
      : runInRunner(args, { ...env, ...options.env }, options.input);
  return Object.assign(run, { configDir, env });
}

/** A backup beside other tests takes a minute on a busy machine. */
const DEADLINE_MS = 180_000;

/** Runners that have nothing to run. */
const idle: ChildProcess[] = [];

async function runInRunner(args: readonly string[], env: NodeJS.ProcessEnv, input = ""): Promise<Ran> {
  const runner = idle.pop() ?? fork(RUNNER, { env: { ...process.env, ...compileCache }, execArgv: [] });
  runner.ref();
  runner.channel?.ref();
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const answered = once(runner, "message", { signal });
  runner.send({ args, env, input });
  const [{ ran, exits }] = (await answered.catch((error: unknown) => {
    runner.kill("SIGKILL");
    throw error;
  })) as [{ readonly ran: Ran; readonly exits: boolean }];
  // It ends with this process.
  runner.unref();
  runner.channel?.unref();
  if (!exits) idle.push(runner);
  return ran;
}

async function runInOwnProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { env: more, input = "", onOutput }: RunOptions,
): Promise<Ran> {
  const child = spawn(process.execPath, [join(root, "bin/orchctl.js"), ...args], {
    env: { ...env, ...more },
    stdio: "pipe",
    timeout: DEADLINE_MS,
    killSignal: "SIGKILL",
  });
  let printed = "";
  const watch = (chunk: Buffer) => {
    printed += chunk.toString();
    onOutput?.(printed, child);
  };
  child.stdout.on("data", watch);
  child.stderr.on("data", watch);
  // One that ends before it has read its input is not this helper's concern.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: child.exitCode, stdout, stderr };
}
