import type { RequestListener, Server, ServerResponse } from "node:http";
import { MAX_ATTACHMENTS } from "../../contract/engine/attachment-limits.ts";
import { UPLOAD_MS, isFileUpload } from "../../contract/engine/file-limits.ts";
import { executeBodyBytes } from "../../contract/engine/requests.ts";
import type { EngineErrorBody } from "../../contract/engine/error-body.ts";
import type { EngineHealth } from "../../contract/engine/health.ts";
import type { EngineLaunch } from "../../contract/engine/launch.ts";
import { createBoundedServer } from "../../shared/http/http-server.ts";
import { hostProblem } from "../../shared/http/local-caller.ts";
import { trackConnections } from "../../shared/http/stop-accepting.ts";
import { logStep } from "../../shared/log-step.ts";
import { type Logger, createLogger } from "../../shared/logger.ts";
import { VERSION } from "../../shared/version.ts";
import { type EngineApp, createApp } from "./create-app.ts";
import type { EngineConfig } from "../config.ts";
import { programDir } from "../isolation/program-dir.ts";
import { type Store, openStore } from "../store/open-store.ts";

const CLOSE_MS = 1000;
/** For one user. Uploading a memory file may take minutes. */
const LIMITS = {
  maxConnections: 1024,
  maxUnauthenticated: 256,
  requestTimeoutMs: 300_000,
  uploads: { isOne: isFileUpload, timeoutMs: UPLOAD_MS },
  maxUnreadBytes: executeBodyBytes(MAX_ATTACHMENTS.mb),
  errorBody: (message: string): EngineErrorBody => ({ error: "INVALID_REQUEST", message }),
};

/** An engine with its store and its server, which does not listen yet. */
export interface OpenedEngine {
  readonly server: Server;
  readonly app: EngineApp;
  readonly store: Store;
  /** Drains it until the deadline, and closes its server and its store. */
  close(drainMs: number): Promise<void>;
}

export async function openEngine(
  launch: EngineLaunch,
  config: EngineConfig,
  environment: NodeJS.ProcessEnv,
): Promise<OpenedEngine> {
  const logger = createLogger("engine", config.logLevel);
  const store = openStore(launch.data_dir, { emptyStores: programDir() });
  logStep(logger, "store_opened");
  const server = createBoundedServer((request, response) => answer(request, response), LIMITS);
  const parts = { launch, config, store, environment, stopAccepting: trackConnections(server) };
  const app = await createApp(parts);
  logStep(logger, "app_made");
  const answer = answerWith(launch, { app, store, logger });
  return { server, app, store, close: (drainMs) => close(server, { app, store, drainMs }) };
}

function answerWith(
  { host, engine_id, incarnation }: EngineLaunch,
  { app, store, logger }: { app: EngineApp; store: Store; logger: Logger },
): RequestListener {
  // The process of a spare is older than its engine.
  // `performance` would load more of Node.js at each boot.
  const openedAt = process.uptime();
  return (request, response) => {
    // Some proxies send the absolute form of the request target.
    request.url = request.url?.replace(/^https?:\/\/[^/?]*\/?/i, "/");
    if ((request.method === "GET" || request.method === "HEAD") && /^\/health(\?|$)/.test(request.url ?? "")) {
      const problem = hostProblem(request, host);
      if (problem !== null) return refuseHost(response, problem);
      const health: EngineHealth = {
        status: "ok",
        engine_id,
        incarnation,
        version: VERSION,
        uptime_s: Math.floor(process.uptime() - openedAt),
        loaded: true,
        ...app.vitals(),
        ...(store.reset.current !== null && { memory_reset: store.reset.current }),
      };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(health));
    } else {
      logStep(logger, "call_accepted");
      app.answer(request, response);
    }
  };
}

function refuseHost(response: ServerResponse, message: string): void {
  const body: EngineErrorBody = { error: "INVALID_REQUEST", message };
  response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function close(
  server: Server,
  { app, store, drainMs }: { app: EngineApp; store: Store; drainMs: number },
): Promise<void> {
  await app.drain(drainMs);
  setTimeout(() => server.closeAllConnections(), CLOSE_MS).unref();
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  store.close();
}
