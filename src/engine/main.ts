import type { Server } from "node:http";
import { hasCode } from "../shared/error-code.ts";
import { CANNOT_START, ENDS, ENGINE_EXITS } from "../contract/engine/exit.ts";
import { type EngineLaunch, decodeLaunch } from "../contract/engine/launch.ts";
import { LAUNCH_FILE_VARIABLE } from "../contract/engine/launch-file.ts";
import { InvalidSettings } from "../shared/environment.ts";
import { logStep } from "../shared/log-step.ts";
import { createLogger } from "../shared/logger.ts";
import { shutdownSignal } from "../shared/shutdown-signals.ts";
import { type EngineConfig, readEngineConfig } from "./config.ts";
import { type OpenedEngine, openEngine } from "./app/open-engine.ts";
import { StoreUnusable, systemExit } from "./store/store-unusable.ts";

const EXIT_CRASH = 1;
/** Together with the exit of tool processes less than the 10 s between the supervisor's TERM and KILL. */
const DRAIN_MS = 6000;
/** Longer than the 60 s of common proxies, so that the proxy closes idle connections first. */
const KEEP_ALIVE_MS = 75_000;

type Open = (launch: EngineLaunch, config: EngineConfig, environment: NodeJS.ProcessEnv) => Promise<OpenedEngine>;

/** Runs one engine, from the content of its launch file to its exit. It listens when everything is loaded. */
export async function run(
  launchFile: string | null,
  environment: NodeJS.ProcessEnv,
  open: Open = openEngine,
): Promise<void> {
  const stop = shutdownSignal();
  try {
    const launch = readLaunch(launchFile);
    const config = readEngineConfig(launch.settings);
    const logger = createLogger("engine", config.logLevel);
    logStep(logger, "launch_read");
    const engine = await open(launch, config, environment);
    const { server, app, store } = engine;
    await listen(server, launch).catch(async (error: unknown) => {
      await app.drain(0);
      throw error;
    });
    logStep(logger, "listening");
    const stopped = stop.then(() => "stopped" as const);
    const slept = app.asleep.then(() => "slept" as const);
    const end = await Promise.race([stopped, slept, store.damaged.then(damaged)]);
    if (end === "slept") process.exitCode = ENGINE_EXITS.slept.code;
    else if (end !== "stopped") reportFailure(end, ENDS);
    await engine.close(end === "stopped" ? DRAIN_MS : 0);
  } catch (error) {
    reportFailure(error, CANNOT_START);
  }
}

/** A damaged store ends the engine; the next start moves it aside. */
const damaged = ({ message }: Error): StoreUnusable =>
  new StoreUnusable("store_damaged", `its store is damaged (${message})`);

function reportFailure(error: unknown, prefix: string): void {
  process.exitCode = exitCodeOf(error);
  process.stderr.write(`${formatFailure(error, prefix)}\n`);
}

function readLaunch(text: string | null): EngineLaunch {
  if (text === null)
    throw new InvalidSettings([`${LAUNCH_FILE_VARIABLE}: expected the path of a launch file; orchd starts engines`]);
  return decodeLaunch(text);
}

function listen(server: Server, { host, port, listen_fd }: EngineLaunch): Promise<void> {
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(listen_fd === undefined ? { host, port } : { fd: listen_fd }, () => {
      server.off("error", reject);
      // A failed accept, such as too many open files: the client retries.
      server.on("error", (error) => process.stderr.write(`failed to accept a connection: ${error.message}\n`));
      resolve();
    });
  });
}

function exitCodeOf(error: unknown): number {
  if (error instanceof InvalidSettings) return ENGINE_EXITS.configuration.code;
  if (error instanceof StoreUnusable) return ENGINE_EXITS[error.exit].code;
  if (isPortTaken(error)) return ENGINE_EXITS.port_taken.code;
  const exit = systemExit(error);
  return exit === null ? EXIT_CRASH : ENGINE_EXITS[exit].code;
}

const isPortTaken = (error: unknown): error is Error & { port: number } => hasCode(error, "EADDRINUSE");

/** A message for what an operator can fix, a stack trace for anything else. */
function formatFailure(error: unknown, prefix: string): string {
  if (error instanceof InvalidSettings) return [prefix, ...error.problems].join("\n  ");
  if (isPortTaken(error)) return `${prefix} port ${error.port} is in use`;
  if (error instanceof StoreUnusable) return `${prefix} ${error.message}`;
  if (error instanceof Error && systemExit(error) !== null) return `${prefix} ${withoutFolders(error.message)}`;
  return `the engine failed: ${error instanceof Error ? error.stack : String(error)}`;
}

/** Clients see why an engine did not start, so the message must not contain this machine's folders. */
const withoutFolders = (message: string): string => message.replaceAll(/'\/[^']*\/([^'/]*)'/g, "'$1'");
