import type {
  Attached,
  EngineBackend,
  EngineProcess,
  Incarnation,
  LaunchOrder,
  StopOutcome,
  Survived,
} from "../../../src/orchestrator/fleet/engine-backend.ts";
import { claimSpare } from "../../../src/orchestrator/fleet/process/spares/claim-spare.ts";
import { SparePool } from "../../../src/orchestrator/fleet/process/spares/spare-pool.ts";
import type { SparePoolOptions } from "../../../src/orchestrator/fleet/process/spares/spare-pool-options.ts";
import { LaunchFailed } from "../../../src/orchestrator/fleet/launch-failed.ts";
import { EngineSockets } from "../../../src/orchestrator/fleet/sockets/engine-sockets.ts";
import type { SocketStore } from "../../../src/orchestrator/fleet/sockets/socket-store.ts";
import { backendPort } from "../../../src/orchestrator/rules/backend-port.ts";
import { engineUrl } from "../../../src/orchestrator/engine-calls/engine-url.ts";
import { delay } from "../../../src/shared/clock.ts";
import type { Logger } from "../../../src/shared/logger.ts";
import { world } from "../kernel/world.ts";
import { runEngine } from "./engine.ts";
import { Process } from "./process.ts";
import { startSpare } from "./spare.ts";
import { createStorage } from "./storage.ts";

const HOST = "127.0.0.1";
const KILL_WAIT_MS = 5000;
const POLL_MS = 20;
const EXIT_POLL_MS = 250;
const PORT_FREE_MS = 5000;

/** Runs engines as processes of the simulated machine. The sockets are the product's own. */
export function createBackend({
  logger,
  store,
  spares,
}: {
  readonly logger: Logger;
  readonly store: SocketStore;
  readonly spares: Pick<SparePoolOptions, "target" | "freeBoots" | "fitting">;
}): EngineBackend {
  const pool = openPool(logger, spares);
  const sockets = new EngineSockets({ host: HOST, logger, store });
  /** The incarnations that this daemon has launched and that have not exited. */
  const launched = new Set<string>();
  return {
    storage: createStorage(),
    catalogs: {
      reloads: true,
      stage: () => Promise.reject(new Error("no catalogs are simulated")),
      ensure: () => Promise.resolve(),
      collect: () => Promise.resolve(),
      erase: () => Promise.resolve(),
    },
    knowledge: {
      read: () => Promise.reject(new Error("no knowledge is simulated")),
      ensure: () => Promise.resolve(null),
      known: () => null,
      find: () => Promise.resolve(null),
      embed: () => Promise.reject(new Error("no knowledge is simulated")),
      fileOf: () => "",
      search: () => Promise.reject(new Error("no knowledge is simulated")),
      collect: () => Promise.resolve(),
    },
    sockets,
    addressOf: (engine) => engineUrl(HOST, backendPort(engine)),
    capacityProblem: (purpose) => {
      const { faults } = world();
      if (faults.isMemoryFull) return Promise.resolve("no memory is left");
      return Promise.resolve(purpose === "new" && faults.isDiskFull ? "no disk is left" : null);
    },
    portProblem: () => Promise.resolve(null),
    limitsReport: () => ({ name: "limits", active: true, problem: null, fix: null, detail: "" }),
    startProblem: () => null,
    spares: pool,

    async launch(order) {
      const { incarnation } = order.launch;
      if (launched.has(incarnation)) throw new LaunchFailed("the engine's process runs already");
      launched.add(incarnation);
      try {
        const { process, spare } = start(order, { sockets, pool });
        process.whenExited(() => launched.delete(incarnation));
        return track(process, { port: order.launch.port, spare, isOwn: true, shareSocket: () => undefined });
      } catch (error) {
        launched.delete(incarnation);
        throw error;
      }
    },

    attach(incarnation, handle): Promise<Attached> {
      const { machine, draws, faults } = world();
      if (draws.chance("unknown process", faults.unknownProcesses))
        return Promise.resolve({ kind: "unknown", reason: "too many open files" });
      if (handle !== null && handle["bootId"] !== machine.bootId)
        return Promise.resolve({ kind: "gone", cause: "host" });
      const process = machine.ofIncarnation(incarnation.id);
      const isSame =
        process !== undefined &&
        (handle === null || (handle["pid"] === process.pid && handle["startTime"] === process.startTime));
      if (!isSame) return Promise.resolve({ kind: "gone", cause: "exit" });
      const { engineId, port } = incarnation;
      const shareSocket = () => sockets.take(engineId, port, process.pid);
      return Promise.resolve({
        kind: "running",
        process: track(process, { port, spare: null, isOwn: false, shareSocket }),
      });
    },

    logs: () => Promise.resolve([]),
    // eslint-disable-next-line require-yield
    followLogs: async function* () {
      await Promise.resolve();
    },
    usage: () => Promise.resolve(new Map()),
    proportionalMemory: () => Promise.resolve([]),

    async endOrphans({ id }) {
      const process = world().machine.ofIncarnation(id);
      return process === undefined ? { kind: "exited" } : stop(process, 0);
    },
    addressConflict: portConflict,
    listOrphans: (known) => {
      const ids = new Set(known.map(({ id }) => id));
      const orphans = world()
        .machine.engines()
        .filter(({ engine }) => engine !== null && !ids.has(engine.incarnation));
      return Promise.resolve(
        orphans.map(({ pid, engine }) => ({ incarnation: engine?.incarnation ?? "", pids: [pid], fix: "" })),
      );
    },
  };
}

/** With the options that let a spare become any engine. */
const NODE_OPTIONS = ["--snapshot-blob", "engine.blob"];

function openPool(logger: Logger, options: Pick<SparePoolOptions, "target" | "freeBoots" | "fitting">): SparePool {
  const pool = new SparePool({
    ...options,
    start: startSpare,
    firstKind: () => Promise.resolve({ nodeOptions: NODE_OPTIONS }),
    hasMemory: () => Promise.resolve(!world().faults.isMemoryFull),
    logger,
  });
  pool.open();
  return pool;
}

/** As `spawn-engine.ts`: one synchronous step once the socket is held. */
function start(
  order: LaunchOrder,
  { sockets, pool }: { readonly sockets: EngineSockets; readonly pool: SparePool },
): { readonly process: Process; readonly spare: EngineProcess["spare"] } {
  const { machine, draws, faults, note } = world();
  const { launch, uid } = order;
  const listener = sockets.hold(launch.engine_id, launch.port);
  const socket = listener === null ? undefined : machine.network.of(listener);
  if (socket === undefined || draws.chance("failed launch", faults.failedLaunches))
    throw new LaunchFailed("failed to start the engine's process: EAGAIN");
  const engine = { ...launch, uid };
  const owner = { uid: 0, gid: 0 };
  const parts = { options: NODE_OPTIONS, listener, log: 0, owner, cgroup: null, launchFile: launch.incarnation };
  const text = JSON.stringify(engine);
  const { started, spare } = claimSpare(pool, { ...order, launch: { ...launch, data_dir: "" } } as never, {
    ...parts,
    text,
  });
  const claimed = started === null ? undefined : machine.processes.get(started.identity.pid);
  const process = claimed ?? new Process(`engine of ${launch.user_id}`, engine);
  note(`spawned the engine of ${launch.user_id} (${process.pid}), incarnation ${launch.incarnation.slice(0, 8)}`);
  if (claimed === undefined) runEngine(process, engine, machine.network.share(socket, process));
  return { process, spare };
}

function track(
  process: Process,
  {
    port,
    spare,
    isOwn,
    shareSocket,
  }: {
    readonly port: number;
    readonly spare: EngineProcess["spare"];
    readonly isOwn: boolean;
    readonly shareSocket: () => void;
  },
): EngineProcess {
  const { scheduler } = world();
  const { actor } = scheduler;
  const exited = new Promise<Parameters<Parameters<Process["whenExited"]>[0]>[0]>((resolve) =>
    process.whenExited((exit) => {
      // The exit of a process that is no child is found by polling, without its code.
      const end = isOwn ? exit : { code: null, signal: null, oom: false };
      scheduler.after(isOwn ? 1 : EXIT_POLL_MS, `exit of ${process.actor.name}`, () => resolve(end), { actor });
    }),
  );
  return {
    handle: { backend: "process", version: 1, pid: process.pid, bootId: process.bootId, startTime: process.startTime },
    address: engineUrl(HOST, port),
    exited,
    spare,
    async stop(termMs) {
      const outcome = await stop(process, termMs);
      if (outcome.kind !== "survived") await exited;
      return outcome;
    },
    settle: () => {
      shareSocket();
      return Promise.resolve();
    },
  };
}

/** As `stop-ladder.ts` does it with a process that has no children. */
async function stop(process: Process, termMs: number): Promise<StopOutcome> {
  const gone = async (withinMs: number): Promise<boolean> => {
    const end = world().scheduler.now + withinMs;
    while (process.isAlive && world().scheduler.now < end) await delay(POLL_MS);
    return !process.isAlive;
  };
  if (!process.isAlive) return { kind: "exited" };
  if (termMs > 0) {
    process.signal("SIGTERM");
    if (await gone(termMs)) return { kind: "exited" };
  }
  process.signal("SIGKILL");
  if (await gone(KILL_WAIT_MS)) return { kind: "killed" };
  return { kind: "survived", reason: `processes ${process.pid} survived SIGKILL`, data: { pids: [process.pid] } };
}

async function portConflict({ port }: Incarnation): Promise<Survived | null> {
  const { scheduler, machine } = world();
  const end = scheduler.now + PORT_FREE_MS;
  while (machine.network.at(port) !== undefined) {
    if (scheduler.now >= end)
      return { kind: "survived", reason: `another program listens on port ${port}`, data: { pids: [] } };
    await delay(POLL_MS);
  }
  return null;
}
