import { readFileSync } from "node:fs";
import type { Server, ServerResponse } from "node:http";
import { flushCompileCache } from "node:module";
import type { EngineErrorBody, EngineHealth } from "../contract/engine-api.ts";
import { CANNOT_START, ENDS, ENGINE_EXITS } from "../contract/engine-exit.ts";
import { type EngineLaunch, LAUNCH_FILE_VARIABLE, decodeLaunch } from "../contract/engine-launch.ts";
import { InvalidSettings } from "../shared/environment.ts";
import { createBoundedServer } from "../shared/http/http-server.ts";
import { hostProblem } from "../shared/http/local-caller.ts";
import { shutdownSignal } from "../shared/shutdown-signals.ts";
import { VERSION } from "../shared/version.ts";
import { readEngineConfig } from "./config.ts";
import type { EngineApp } from "./engine-app.ts";
import { refuseUnreadable } from "./http/unreadable-request.ts";
import { type Store, openStore } from "./store/open-store.ts";
import { StoreUnusable, systemExit } from "./store/store-unusable.ts";

const EXIT_CRASH = 1;
/** With what the app takes to end its tools' processes, less than the 10 s that a supervisor leaves between TERM and KILL. */
const DRAIN_MS = 6000;
const CLOSE_MS = 1000;
/** Longer than the minute for which proxies keep idle connections: who closes first must not be us, while a call comes. */
const KEEP_ALIVE_MS = 75_000;
/** One user's. A memory file may take minutes to arrive. */
const LIMITS = { maxConnections: 1024, maxUnauthenticated: 256, requestTimeoutMs: 300_000 };
/** Long enough for a health answer to be out before the loading of everything else takes the processor. */
const LOAD_AFTER_MS = 5;
/** Also where nobody asks: an upgrade may replace the bundles at any time, and they have to belong together. */
const LOAD_UNASKED_AFTER_MS = 1000;

/**
 * One engine, from its launch file to its end. Everybody's start waits for this file, so it does only what `/health`
 * needs, and answers that before the rest is loaded.
 */
export async function run(): Promise<void> {
  const stop = shutdownSignal();
  try {
    const launch = readLaunch(process.env[LAUNCH_FILE_VARIABLE]);
    const config = readEngineConfig(launch.settings);
    const store = openStore(launch.data_dir);
    const parts = { launch, config, store, environment: process.env };
    const app = new LazyApp(async () => (await import("./app.ts")).createApp(parts));
    const server = await listen(launch, { app, store });
    app.loadAfter(LOAD_UNASKED_AFTER_MS);
    setTimeout(() => flushCompileCache(), 500).unref();
    const failure = await Promise.race([stop.then(() => null), store.damaged.then(damaged), app.failed]);
    if (failure !== null) tell(failure, ENDS);
    await close(server, { app: await app.end(), store, drainMs: failure === null ? DRAIN_MS : 0 });
  } catch (error) {
    tell(error, CANNOT_START);
  }
}

/** Nothing can be relied on that is read from it, or written: the next start sets it aside. */
const damaged = ({ message }: Error): StoreUnusable =>
  new StoreUnusable("store_damaged", `its store is damaged (${message})`);

function tell(error: unknown, what: string): void {
  process.exitCode = exitCodeOf(error);
  process.stderr.write(`${explain(error, what)}\n`);
}

function readLaunch(file: string | undefined): EngineLaunch {
  if (file === undefined)
    throw new InvalidSettings([`${LAUNCH_FILE_VARIABLE}: expected the path of a launch file; orchd starts engines`]);
  return decodeLaunch(readFileSync(file, "utf8"));
}

/**
 * The rest of the engine: loaded once, at the first call that needs it or a moment after the first health answer. An
 * engine that cannot load it ends.
 */
class LazyApp {
  readonly #create: () => Promise<EngineApp>;
  readonly #failed = Promise.withResolvers<unknown>();
  #loading: Promise<EngineApp | undefined> | undefined;
  #over = false;
  loaded: EngineApp | undefined;
  /** Resolves with the reason when it cannot be loaded. */
  readonly failed = this.#failed.promise;

  constructor(create: () => Promise<EngineApp>) {
    this.#create = create;
  }

  /** Never rejects: undefined when it cannot be loaded. */
  load(): Promise<EngineApp | undefined> {
    this.#loading ??= this.#create().then(
      (app) => (this.loaded = app),
      (error: unknown) => {
        this.#failed.resolve(error);
        return undefined;
      },
    );
    return this.#loading;
  }

  loadAfter(ms: number): void {
    setTimeout(() => void (this.#over || this.load()), ms).unref();
  }

  /** What there is to be closed; what nothing has needed so far is not loaded for it. */
  end(): Promise<EngineApp | undefined> | undefined {
    this.#over = true;
    return this.#loading;
  }
}

function listen(
  { host, port, engine_id, incarnation }: EngineLaunch,
  { app, store }: { app: LazyApp; store: Store },
): Promise<Server> {
  const idle = { active_turns: 0, pending_hitl: 0, streams: 0, core_soul_hash: null };
  const server = createBoundedServer((request, response) => {
    // Some proxies name the whole address where the path would do.
    request.url = request.url?.replace(/^https?:\/\/[^/?]*\/?/i, "/");
    if ((request.method === "GET" || request.method === "HEAD") && /^\/health(\?|$)/.test(request.url ?? "")) {
      const problem = hostProblem(request, host);
      if (problem !== null) return refuseHost(response, problem);
      const health: EngineHealth = {
        status: "ok",
        engine_id,
        incarnation,
        version: VERSION,
        uptime_s: Math.floor(process.uptime()),
        ...(app.loaded?.vitals() ?? idle),
        ...(store.reset.current !== null && { memory_reset: store.reset.current }),
      };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(health));
      if (app.loaded === undefined) app.loadAfter(LOAD_AFTER_MS);
    } else if (app.loaded === undefined) {
      void app.load().then((loaded) => loaded?.answer(request, response));
    } else {
      app.loaded.answer(request, response);
    }
  }, LIMITS);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on("clientError", refuseUnreadable);
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      // A connection that could not be accepted (too many open files): its client tries again.
      server.on("error", (error) => process.stderr.write(`a connection was not accepted: ${error.message}\n`));
      resolve(server);
    });
  });
}

function refuseHost(response: ServerResponse, message: string): void {
  const body: EngineErrorBody = { error: "INVALID_REQUEST", message };
  response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function close(
  server: Server,
  { app, store, drainMs }: { app: EngineApp | undefined; store: Store; drainMs: number },
): Promise<void> {
  await app?.drain(drainMs);
  setTimeout(() => server.closeAllConnections(), CLOSE_MS).unref();
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  store.close();
}

function exitCodeOf(error: unknown): number {
  if (error instanceof InvalidSettings) return ENGINE_EXITS.configuration.code;
  if (error instanceof StoreUnusable) return ENGINE_EXITS[error.exit].code;
  if (isPortTaken(error)) return ENGINE_EXITS.port_taken.code;
  const exit = systemExit(error);
  return exit === null ? EXIT_CRASH : ENGINE_EXITS[exit].code;
}

const isPortTaken = (error: unknown): error is Error & { port: number } =>
  error instanceof Error && "code" in error && error.code === "EADDRINUSE";

/** Plain words for what an operator can mend; a stack for what only we can. */
function explain(error: unknown, what: string): string {
  if (error instanceof InvalidSettings) return [what, ...error.problems].join("\n  ");
  if (isPortTaken(error)) return `${what} port ${error.port} is in use`;
  if (error instanceof StoreUnusable) return `${what} ${error.message}`;
  if (error instanceof Error && systemExit(error) !== null) return `${what} ${withoutFolders(error.message)}`;
  return `the engine failed: ${error instanceof Error ? error.stack : String(error)}`;
}

/** Clients read why an engine did not start; the folders of this machine are not theirs to know. */
const withoutFolders = (message: string): string => message.replaceAll(/'\/[^']*\/([^'/]*)'/g, "'$1'");
