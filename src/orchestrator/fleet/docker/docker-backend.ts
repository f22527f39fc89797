import { mkdir } from "node:fs/promises";
import type { Socket } from "node:net";
import { dirname } from "node:path";
import PQueue from "p-queue";
import * as z from "zod/mini";
import type { EngineHandle } from "../../../contract/orchestrator/engine-handle.ts";
import { encodeLaunch } from "../../../contract/engine/launch.ts";
import { LABELS, USER } from "../containers/container-launch.ts";
import { inContainers } from "../containers/in-containers.ts";
import type { KnowledgeStorage } from "../knowledge-storage.ts";
import type { CatalogFolders } from "../folders/catalog-folders.ts";
import type {
  Attached,
  EngineBackend,
  EngineProcess,
  Incarnation,
  LaunchOrder,
  StopOutcome,
  ProcessTreeUsage,
} from "../engine-backend.ts";
import type { EngineStorage } from "../engine-storage.ts";
import { engineFolder } from "../folders/engine-folder.ts";
import { engineUrl } from "../../engine-calls/engine-url.ts";
import { createFolderStorage } from "../folders/folder-storage.ts";
import { changeOwner } from "../isolation/change-owner.ts";
import { makeTraversable } from "../isolation/file-modes.ts";
import type { Owner } from "../../../sandbox/folders.ts";
import { engineUser } from "../isolation/owner.ts";
import { LaunchFailed, PortTaken, StorageUnusable } from "../launch-failed.ts";
import { portFreed } from "../process/port-check.ts";
import { bootId } from "../process/process-identity.ts";
import { portConflict } from "../process/port-conflict.ts";
import { systemReason } from "../system-reason.ts";
import { onLocalHost } from "../process/local-host.ts";
import { ContainerLogs } from "./container-logs.ts";
import { ContainerProcess, containerSurvived, signalContainer } from "./container-process.ts";
import { type ContainerOptions, dockerLaunch, containerName, containerSpec } from "./container-spec.ts";
import { Containers } from "./containers.ts";
import { DockerApi, DockerError, DockerUnreachable } from "./docker-api.ts";

const BACKEND = "docker";
const VERSION = 1;
/** The user of engines without a user of their own, when the daemon runs as root. */
const NOBODY: Owner = { uid: USER, gid: USER };
/** Docker's proxy of the previous container closes the port a moment after its exit. */
const PORT_FREE_MS = 3000;
/** How many stopped containers of an engine remain, for their logs. */
const KEPT_CONTAINERS = 1;
/** Containers whose usage is read at a time. */
const READS = 16;

const dockerHandle = z.object({
  backend: z.literal(BACKEND),
  version: z.literal(VERSION),
  id: z.string().check(z.regex(/^[0-9a-f]{12,64}$/)),
  /** The boot id of the machine. No container survives a reboot. */
  bootId: z.string(),
});

export interface DockerBackendOptions extends ContainerOptions {
  /** The Docker engine's socket on this machine. */
  readonly socketPath: string;
  /** Holds the folders of the engines, which their containers mount. */
  readonly dataDir: string;
  readonly catalogs: CatalogFolders;
  readonly knowledge: KnowledgeStorage;
  readonly nodePath: string;
  readonly folderProgram: string;
  /** The ports of engines. */
  readonly ports: { readonly min: number; readonly max: number };
}

/** Runs each engine in a container of a Docker engine on this machine. Its files are a folder of the data folder. */
export function createDockerBackend(options: DockerBackendOptions): EngineBackend {
  const { deployment, host } = options;
  const api = new DockerApi(options.socketPath);
  const containers = new Containers(api, deployment);
  const logs = new ContainerLogs(api, containers);
  const boot = bootId();

  const track = (id: string, port: number, input: Socket | null = null): EngineProcess =>
    new ContainerProcess({
      id,
      handle: { backend: BACKEND, version: VERSION, id, bootId: boot },
      address: engineUrl(host, port),
      api,
      containers,
      input,
    });

  async function start(id: string, order: LaunchOrder): Promise<EngineProcess> {
    try {
      const input = await api.openInput(id);
      await api.call("POST", `/containers/${id}/start`);
      input.end(encodeLaunch(dockerLaunch(order, options)));
      return track(id, order.launch.port, input);
    } catch (error) {
      await containers.remove(id).catch(() => undefined);
      throw error;
    }
  }

  async function attach(incarnation: Incarnation, stored: EngineHandle | null): Promise<Attached> {
    if (stored === null) {
      const running = (await containers.list({ incarnation: incarnation.id })).find(({ isRunning }) => isRunning);
      if (running === undefined) return { kind: "gone", cause: "exit" };
      return { kind: "running", process: track(running.id, incarnation.port) };
    }
    const { data: handle } = z.safeParse(dockerHandle, stored);
    if (handle === undefined) return { kind: "unknown", reason: `the backend ${stored.backend} started it` };
    if (handle.bootId !== boot) return { kind: "gone", cause: "host" };
    const { isRunning, labels } = await containers.inspect(handle.id);
    // I3 identity before signal: a row may name a foreign container.
    const isOurs = labels[LABELS.deployment] === deployment && labels[LABELS.incarnation] === incarnation.id;
    if (!isRunning || !isOurs) return { kind: "gone", cause: "exit" };
    return { kind: "running", process: track(handle.id, incarnation.port) };
  }

  async function usageOf(processes: readonly EngineProcess[]): Promise<ReadonlyMap<EngineProcess, ProcessTreeUsage>> {
    const read = async (process: EngineProcess) => {
      const usage = process instanceof ContainerProcess ? await containers.usage(process.id).catch(() => null) : null;
      return usage === null ? [] : [[process, usage] as const];
    };
    const usage = await new PQueue({ concurrency: READS }).addAll(processes.map((process) => () => read(process)));
    return new Map(usage.flat());
  }

  return {
    ...onLocalHost(options),
    ...inContainers("processes, memory and CPU by the container, disk by a watch of the engine"),
    catalogs: options.catalogs,
    knowledge: options.knowledge,
    storage: storageOf(options, containers),

    async launch(order) {
      try {
        if (!(await portFreed(host, order.launch.port, PORT_FREE_MS)))
          throw new PortTaken(`port ${order.launch.port} is taken by another program`);
        return await start(await createContainer({ api, containers, options }, order), order);
      } catch (error) {
        if (error instanceof LaunchFailed) throw error;
        if (error instanceof DockerError && /port is already allocated|address already in use/.test(error.message))
          throw new PortTaken(`port ${order.launch.port} is taken by another program`, { cause: error });
        throw new LaunchFailed(`failed to start the engine's container: ${reasonOf(error)}`, { cause: error });
      }
    },

    async attach(incarnation, stored) {
      try {
        return await attach(incarnation, stored);
      } catch (error) {
        // Only the Docker engine itself can say that there is no such container.
        if (error instanceof DockerError && error.status === 404) return { kind: "gone", cause: "exit" };
        return { kind: "unknown", reason: reasonOf(error) };
      }
    },

    logs: ({ id }, lines) => logs.tail(id, lines),
    followLogs: ({ id }, following) => logs.follow(id, following),

    usage: usageOf,
    // A container shares no pages that Docker tells of.
    proportionalMemory: async (processes) =>
      [...(await usageOf(processes)).values()].map(({ memoryBytes }) => memoryBytes),

    async endOrphans({ id: incarnation, port }): Promise<StopOutcome> {
      try {
        const running = (await containers.list({ incarnation })).filter(({ isRunning }) => isRunning);
        for (const { id } of running) {
          await signalContainer(api, id, "SIGKILL");
          const outcome = await track(id, port).stop(0);
          if (outcome.kind === "survived") return outcome;
        }
        return { kind: running.length === 0 ? "exited" : "killed" };
      } catch (error) {
        return containerSurvived(incarnation, reasonOf(error));
      }
    },

    addressConflict: ({ port }) => portConflict(host, port),

    async listOrphans(known) {
      const ids = new Set(known.map(({ id }) => id));
      const running = (await containers.list()).filter(({ incarnation }) => !ids.has(incarnation));
      return running.map(({ name, incarnation }) => ({
        incarnation,
        pids: [],
        fix: `docker inspect ${name} shows it; docker rm --force ${name} ends it`,
      }));
    },
  };
}

interface CreateParts {
  readonly api: DockerApi;
  readonly containers: Containers;
  readonly options: DockerBackendOptions;
}

/** Creates an engine's container, which does not run yet, and returns its id. */
async function createContainer({ api, containers, options }: CreateParts, order: LaunchOrder): Promise<string> {
  const { deployment, dataDir } = options;
  const { engine_id: engineId, incarnation } = order.launch;
  const folder = engineFolder(dataDir, engineId);
  const user = engineUser(order.uid);
  const owner = user.uid === 0 ? NOBODY : user;
  makeTraversable(dirname(folder));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await changeOwner(folder, owner);
  await containers.removeStopped(engineId, { keep: KEPT_CONTAINERS });
  // A restart without the database keeps the incarnation.
  for (const { id, isRunning } of await containers.list({ incarnation })) {
    if (isRunning) throw new LaunchFailed("the engine's process runs already");
    await containers.remove(id);
  }
  const catalogs = order.catalog === undefined ? null : options.catalogs.ofProduct(order.catalog.productId);
  const created = await api.call("POST", "/containers/create", {
    query: { name: containerName(deployment, incarnation) },
    body: containerSpec(order, options, { folder, catalogs, owner }),
  });
  return z.parse(z.object({ Id: z.string() }), created).Id;
}

/** The folders of engines. The logs of an engine, which its stopped containers have, are removed with its folder. */
function storageOf(options: DockerBackendOptions, containers: Containers): EngineStorage {
  const folders = createFolderStorage(options);
  const removeLogs = async (engineId: string): Promise<void> => {
    try {
      await containers.removeStopped(engineId, { keep: 0 });
    } catch (error) {
      throw new StorageUnusable(reasonOf(error), { cause: error });
    }
  };
  return {
    ...folders,
    async discard(engine) {
      await removeLogs(engine.id);
      await folders.discard(engine);
    },
    async keep(engine) {
      await removeLogs(engine.id);
      await folders.keep(engine);
    },
    async erase(engine) {
      await removeLogs(engine.id);
      await folders.erase(engine);
    },
  };
}

/** A reason for clients, without paths and without names that Docker reports. */
function reasonOf(error: unknown): string {
  if (error instanceof DockerUnreachable) return "the Docker engine does not answer";
  if (!(error instanceof DockerError)) return systemReason(error);
  return error.status === 404 ? "its image does not exist on the Docker engine" : `Docker error ${error.status}`;
}
