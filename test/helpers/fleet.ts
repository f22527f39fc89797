import { NOT_ISOLATED } from "../../src/contract/engine/launch-file.ts";
import { type ChildProcess, spawn } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Test } from "tap";
import { type EngineHandle, shownProcess } from "../../src/contract/orchestrator/engine-handle.ts";
import { createLogger } from "../../src/shared/logger.ts";
import type {
  EngineBackend,
  EngineProcess,
  Incarnation,
  LaunchOrder,
} from "../../src/orchestrator/fleet/engine-backend.ts";
import { type BootVerdict, awaitHealthy } from "../../src/orchestrator/engine-calls/health-probe.ts";
import { isPortFree } from "../../src/orchestrator/fleet/process/port-check.ts";
import type { ProcessOrder } from "../../src/orchestrator/fleet/process/process-order.ts";
import { CatalogFolders } from "../../src/orchestrator/fleet/folders/catalog-folders.ts";
import { KnowledgeFiles } from "../../src/orchestrator/fleet/folders/knowledge-files.ts";
import {
  type ProcessBackendOptions,
  createProcessBackend,
} from "../../src/orchestrator/fleet/process/process-backend.ts";
import { compileCache } from "./compile-cache.ts";
import { temporaryFolder } from "./run.ts";
import { until } from "./until.ts";

export const HOST = "127.0.0.1";
/** The same address, written so that the daemon holds no sockets on it: engines make their own. */
export const NOT_HELD = "127.1";
export const fixture = (name: string): string => resolve(import.meta.dirname, "../fixtures", name);
export const silent = createLogger("test", "silent");

/** Below the ephemeral range, as the daemon's own. */
export async function freePort(): Promise<number> {
  return until("a port is free", async () => {
    const port = randomInt(20_000, 30_000);
    return (await isPortFree(HOST, port)) && (await isPortFree(HOST, port + 1)) ? port : 0;
  });
}

export interface TestFleet {
  readonly folder: string;
  readonly settings: Omit<ProcessBackendOptions, "logger">;
  readonly backend: EngineBackend;
  readonly order: (overrides?: Partial<ProcessOrder["launch"]>) => Promise<ProcessOrder>;
}

/** With the built program. */
export const catalogFolders = (dataDir: string): CatalogFolders =>
  new CatalogFolders({
    dataDir,
    nodePath: process.execPath,
    program: resolve(import.meta.dirname, "../../dist/orchd-catalog.cjs"),
    confine: false,
    readable: [],
    signal: new AbortController().signal,
    nameOf: (productId) => productId,
  });

/** With the built program. */
export const knowledgeFiles = (dataDir: string): KnowledgeFiles =>
  new KnowledgeFiles({
    dataDir,
    nodePath: process.execPath,
    program: resolve(import.meta.dirname, "../../dist/orchd-knowledge.cjs"),
    confine: false,
    signal: new AbortController().signal,
    catalogFolder: (productId) => resolve(dataDir, "catalogs", productId),
  });

/** A backend for one fixture engine in a folder of its own. At the end no process that was born for it may be left. */
export function testFleet(t: Test, engine: string, overrides: Partial<ProcessBackendOptions> = {}): TestFleet {
  const folder = realpathSync(temporaryFolder("fleet"));
  const settings = {
    nodePath: process.execPath,
    engineEntry: fixture(`engines/${engine}.cjs`),
    runDir: join(folder, "run"),
    dataDir: folder,
    isolation: NOT_ISOLATED,
    extraCaCerts: null,
    folderProgram: "/nowhere/orchd-folder.cjs",
    catalogs: catalogFolders(folder),
    knowledge: knowledgeFiles(folder),
    host: HOST,
    ports: { min: 20_000, max: 29_999 },
    path: "/usr/bin:/bin",
    cgroupHierarchies: [],
    ...overrides,
  };
  const hold = setInterval(() => undefined, 1000);
  const backend = createProcessBackend({ logger: silent, ...settings });
  t.teardown(async () => {
    clearInterval(hold);
    backend.sockets.close();
    await until("no process of this test is left", () => bornFor(folder).length === 0).catch((error: unknown) => {
      t.fail(String(error));
      for (const pid of bornFor(folder)) process.kill(pid, "SIGKILL");
    });
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    folder,
    settings,
    backend,
    order: async (launch = {}) => {
      const engineId = `eng_${randomUUID()}`;
      return {
        memoryMb: 256,
        uid: null,
        cpuWeight: 100,
        owner: { product_id: "prd_acme", user_id: "user-1" },
        launch: {
          engine_id: engineId,
          incarnation: randomUUID(),
          product: "acme",
          user_id: "user-1",
          host: HOST,
          port: await freePort(),
          data_dir: join(folder, "engines", engineId),
          keys: [],
          control_token: "control-token-of-the-test",
          settings: { LLM_API_KEY: "provider-key-of-the-test" },
          extra_ca_certs: null,
          tool_network: "open",
          tool_listen: [],
          limits: { max_processes: 256, memory_mb: 256, disk_mb: 2048 },
          isolation: NOT_ISOLATED,
          ...launch,
        },
      };
    },
  };
}

/** Another daemon, in an environment that holds what engines must not inherit. */
export async function daemonThatDies(
  fleet: TestFleet,
  order: LaunchOrder,
): Promise<{ daemon: ChildProcess; handle: EngineHandle }> {
  const env = {
    NODE_OPTIONS: "--no-warnings",
    NODE_EXTRA_CA_CERTS: "/dev/null",
    ORCH_ADMIN_KEY: "secret",
    HOME: "/tmp",
    ...compileCache,
  };
  const task = JSON.stringify({ settings: fleet.settings, order });
  const daemon = spawn(process.execPath, [fixture("daemon-that-dies.ts"), task], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface({ input: daemon.stdout }), "line");
  return { daemon, handle: JSON.parse(line) };
}

/** What a later daemon knows of an order's engine. */
export const incarnationOf = ({ launch, uid }: LaunchOrder): Incarnation => ({
  id: launch.incarnation,
  engineId: launch.engine_id,
  port: launch.port,
  uid,
});

export const pidOf = ({ handle }: Pick<EngineProcess, "handle">): number => shownProcess(handle).pid ?? 0;

/** The running process of a handle. */
export async function attached(
  backend: EngineBackend,
  order: LaunchOrder,
  handle: EngineHandle,
): Promise<EngineProcess> {
  const found = await backend.attach(incarnationOf(order), handle);
  if (found.kind !== "running") throw new Error(`the engine is ${found.kind}`);
  return found.process;
}

export const urlOf = ({ launch }: ProcessOrder): string => `http://${launch.host}:${launch.port}`;

export function healthy(order: ProcessOrder, engine: EngineProcess, deadlineMs = 20_000): Promise<BootVerdict> {
  const { engine_id: engineId, incarnation } = order.launch;
  const { signal } = new AbortController();
  return awaitHealthy({ url: urlOf(order), engineId, incarnation, exited: engine.exited, deadlineMs, signal });
}

/** Living processes that have this folder in their environment. */
function bornFor(folder: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readText(`/proc/${pid}/environ`).includes(`=${folder}/`))
    .map(Number);
}

/** Empty for what is gone or is not ours to read; zombies have no environment. */
export function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
