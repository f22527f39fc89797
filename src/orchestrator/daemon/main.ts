import { logBackgroundFailures } from "../../shared/background.ts";
import { errorCode, hasCode } from "../../shared/error-code.ts";
import { createLogger } from "../../shared/logger.ts";
import { Releasers } from "../../shared/releasers.ts";
import { exitClosed, shutdownSignal } from "../../shared/shutdown-signals.ts";
import { VERSION } from "../../shared/version.ts";
import { type Command, InvalidArguments, USAGE, readArguments } from "./arguments.ts";
import { readConfig } from "./config.ts";
import { assertFoldersApart } from "./folders-apart.ts";
import { openIsolation } from "./open-backend.ts";
import { type StartOptions, serve } from "./serve.ts";
import { dropAmbientCapabilities } from "../fleet/isolation/capabilities.ts";
import { InvalidSettings } from "../../shared/environment.ts";
import { isDatabaseUnavailable } from "../store/database.ts";
import { HostTakenOver } from "../store/host-lock.ts";
import { openDataFolder } from "./data-folder.ts";
import { SERVICE_MANAGER_VARIABLES, passedDescriptors } from "./passed-descriptors.ts";
import { ServiceManager } from "./service-manager.ts";
import { openHost } from "./open-host.ts";
import { Metrics } from "../status/metrics.ts";
import { Readiness } from "../status/readiness.ts";
import { InvalidBackup } from "../../backup/invalid-backup.ts";
import { NotEmpty } from "./restore.ts";
import { restoreCommand, verifyCommand } from "./backup-commands.ts";
import { stopFleet } from "../recovery/stop-fleet.ts";

const EXIT_USAGE = 2;
const EXIT_INTERRUPTED = 130;

/** Runs the daemon from its command line and environment to its exit. Problems that an operator can fix are explained. */
export async function run({ installDir }: { readonly installDir: string }): Promise<void> {
  const signal = shutdownSignal();
  const stopping = new AbortController();
  const [listeners, resources] = [new Releasers(), new Releasers()];
  let work = Promise.resolve();
  dropAmbientCapabilities();
  try {
    const command = readArguments(process.argv.slice(2));
    if (command.kind === "help" || command.kind === "version") {
      process.stdout.write(command.kind === "help" ? USAGE : `${VERSION}\n`);
      return;
    }
    const config = readConfig(process.env, process.getuid?.() ?? -1);
    const { api, kept } = passedDescriptors(process.env, process.pid);
    for (const name of SERVICE_MANAGER_VARIABLES) delete process.env[name];
    const logger = createLogger("orchd", config.logLevel);
    logBackgroundFailures(logger);
    const takenOver = Promise.withResolvers<never>();
    const options: StartOptions = {
      config,
      installDir,
      logger,
      apiSocket: api,
      serviceManager: new ServiceManager({ ...config, kept, logger }),
      listeners,
      resources,
      stopping: stopping.signal,
      takenOver: takenOver.reject,
    };
    work = start(command, options);
    const done = command.kind === "serve" ? work.then(() => signal) : work;
    const cause = await Promise.race([signal, takenOver.promise, done]);
    if (cause !== undefined) process.stderr.write(`orchd stops on ${cause}; engines keep running\n`);
    if (cause !== undefined && command.kind !== "serve") process.exitCode = EXIT_INTERRUPTED;
  } catch (error) {
    process.exitCode = error instanceof InvalidArguments ? EXIT_USAGE : 1;
    process.stderr.write(`${explain(error)}\n`);
  }
  stopping.abort();
  // A resource that is still opening is released too.
  await work.catch(() => undefined);
  await listeners.release();
  await resources.release();
  // Calls that were cut off may still wait, such as for a boot. The next leader finishes their operations.
  exitClosed();
}

type Work = Exclude<Command, { readonly kind: "help" } | { readonly kind: "version" }>;

async function start(command: Work, options: StartOptions): Promise<void> {
  switch (command.kind) {
    case "serve":
      assertFoldersApart(options.config, options.logger);
      return serve(options);
    case "stop-engines":
      return stopEngines(options);
    case "verify":
      return verifyCommand(command, options);
    case "restore":
      assertFoldersApart(options.config, options.logger);
      return restoreCommand(command, options);
    default:
      return command satisfies never;
  }
}

/** Why the daemon exits, for the terminal: the setting, its value and what was expected. */
function explain(error: unknown): string {
  if (error instanceof InvalidSettings) {
    return ["orchd cannot start:", ...error.problems.map((problem) => `  ${problem}`)].join("\n");
  }
  if (error instanceof InvalidArguments) return `orchd: ${error.message}`;
  if (error instanceof InvalidBackup || error instanceof NotEmpty) return `orchd: refused: ${error.message}`;
  if (error instanceof HostTakenOver) return `orchd stops: ${error.message}`;
  if (!(error instanceof Error)) return `orchd cannot start: ${String(error)}`;
  const syscall = "syscall" in error ? error.syscall : undefined;
  if (syscall === "listen" && hasCode(error, "EADDRINUSE")) {
    const { address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
    const place = `${String(address)} port ${String(port)}`;
    return `orchd cannot start: ORCH_PORT is in use by another program: ${place} (is orchd running already?); set another ORCH_PORT`;
  }
  if (syscall === "listen") return `orchd cannot start: it cannot listen on ORCH_HOST and ORCH_PORT (${error.message})`;
  if (isDatabaseUnavailable(error)) {
    return `orchd cannot start: the database at DATABASE_URL cannot be reached (${error.message || errorCode(error)})`;
  }
  return `orchd cannot start: ${error.message || error.name}`;
}

/** `orchd --stop-engines`: stops every engine of this host. Tested in test/end-to-end/host.test.ts. */
async function stopEngines(options: StartOptions): Promise<void> {
  const folder = await openDataFolder(options.config.dataDir, options.config);
  const onWait = () => {
    throw new Error("another orchd holds this host; stop it first (systemctl stop orchd)");
  };
  const opened = await openHost({
    ...options,
    folder,
    isolation: await openIsolation(options),
    readiness: new Readiness(),
    onWait,
    onLoss: options.takenOver,
    leaderUrl: null,
    metrics: new Metrics(),
  });
  if (opened === null) return;
  const { stopped, failed } = await stopFleet(opened.host);
  // Nobody calls it any more.
  await opened.host.broker?.stop();
  process.stderr.write(`orchd: ${stopped} engines stopped; the next start of orchd restarts them\n`);
  if (failed.length > 0) throw new Error(`these engines could not be stopped, see the log: ${failed.join(", ")}`);
}
