import type { EngineHandle } from "../../../contract/orchestrator/engine-handle.ts";
import type {
  Attached,
  EngineBackend,
  EngineProcess,
  Incarnation,
  LaunchOrder,
  StopOutcome,
} from "../engine-backend.ts";
import { LaunchFailed } from "../launch-failed.ts";
import { inContainers } from "../containers/in-containers.ts";
import { ClaimReader } from "./claim-reader.ts";
import { createClaimStorage } from "./claim-storage.ts";
import type { ClaimOptions } from "./claim-spec.ts";
import { Claims } from "./claims.ts";
import type { PodCatalog } from "./catalog-volumes.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import { KubeApi } from "./kube-api.ts";
import { LABELS, labelValue } from "./names.ts";
import { KnownPods } from "./known-pods.ts";
import type { KnowledgeStorage } from "../knowledge-storage.ts";
import { PodCatalogs, type PodCatalogsOptions } from "./pod-catalogs.ts";
import { makePodHandle, podAddress, readPodHandle } from "./pod-handle.ts";
import { type EnginePod, PodLogs } from "./pod-logs.ts";
import { PodProcess, podSurvived } from "./pod-process.ts";
import { type Pod, claimOf, stateOf } from "./pod-state.ts";
import { PodUsage } from "./pod-usage.ts";
import { PodWatch } from "./pod-watch.ts";
import { Pods } from "./pods.ts";
import { reasonOf } from "./kube-errors.ts";
import { type StartOptions, type StartedPod, startPod } from "./start-pod.ts";

const KEEP_LOG_MS = 10_000;
const GONE = { kind: "gone", cause: "exit" } as const;

interface KubernetesBackendOptions extends StartOptions, ClaimOptions, Pick<PodCatalogsOptions, "checker"> {
  readonly knowledge: KnowledgeStorage;
  readonly access: ClusterAccess;
}

/** Runs each engine in a pod of a Kubernetes cluster. Its files are a persistent volume claim of its own. */
export function createKubernetesBackend(options: KubernetesBackendOptions): EngineBackend {
  const { deployment, namespace } = options;
  const api = new KubeApi(options.access);
  const pods = new Pods(api, options);
  const watch = new PodWatch(api, pods);
  const known = new KnownPods(pods, watch);
  const claims = new Claims(api, options);
  const logs = new PodLogs(api, { path: pods.path, known, claims });
  const reader = new ClaimReader({ pods, known, watch }, options);
  const catalogs = new PodCatalogs(api, options);
  const usage = new PodUsage(api, { namespace, labelSelector: pods.all });

  const track = (pod: StartedPod, of: Pick<EnginePod, "engineId" | "claim">): PodProcess => {
    const { name, uid } = pod;
    const handle = makePodHandle(namespace, pod);
    return new PodProcess({ pod: { name, uid, ...of }, handle, address: podAddress({ handle }), pods, watch, logs });
  };

  /** Null for a pod that does not run yet, or has ended. A pod that is being deleted may still run. */
  const trackRunning = (pod: Pod, engineId: string): PodProcess | null => {
    const { metadata, spec } = pod;
    const state = stateOf(pod);
    if (state.kind !== "running") return null;
    const started = { name: metadata.name, uid: metadata.uid, ip: state.ip, node: spec.nodeName ?? "" };
    return track(started, { engineId, claim: claimOf(pod) });
  };

  /** A pod that never ran counts as gone. It is deleted with the orphans. */
  async function search({ id, engineId }: Incarnation): Promise<Attached> {
    const pod = await pods.ofIncarnation(id);
    const process = pod === null ? null : trackRunning(pod, engineId);
    return process === null ? GONE : { kind: "running", process };
  }

  async function attach(incarnation: Incarnation, stored: EngineHandle): Promise<Attached> {
    const handle = readPodHandle(stored);
    if (handle === null) return { kind: "unknown", reason: `the backend ${stored.backend} started it` };
    if (handle.namespace !== namespace)
      return { kind: "unknown", reason: `it was started in the namespace ${handle.namespace}` };
    const pod = await pods.find(handle.pod);
    // No pod of the name, or another one: the recorded pod is gone, perhaps with its node.
    if (pod === null || pod.metadata.uid !== handle.uid)
      return { kind: "gone", cause: (await pods.node(handle.node)) === "gone" ? "host" : "exit" };
    // I3 identity before signal: a row may name a foreign pod.
    const { labels } = pod.metadata;
    const isOurs =
      labels[LABELS.deployment] === labelValue(deployment) && labels[LABELS.incarnation] === labelValue(incarnation.id);
    if (!isOurs) return GONE;
    const state = stateOf(pod);
    if (state.kind === "ended") return { kind: "gone", cause: state.exit.host === undefined ? "exit" : "host" };
    const process = trackRunning(pod, incarnation.engineId);
    return process === null ? { kind: "unknown", reason: "its pod is not running yet" } : { kind: "running", process };
  }

  return {
    ...inContainers("memory and CPU by the pod, processes and disk by a watch of the engine"),
    catalogs,
    knowledge: options.knowledge,
    storage: createClaimStorage(claims, reader),
    addressOf: podAddress,
    // The cluster's scheduler decides when it places the pod.
    capacityProblem: async () => null,
    portProblem: async () => null,

    async launch(order) {
      try {
        const engineId = order.launch.engine_id;
        const claim = (await claims.ensure({ id: engineId, ...order.owner })).metadata.name;
        const { engines, readers } = await known.ofEngine(engineId);
        // A pod on another node cannot mount the volume before these pods are gone.
        await reader.clear(readers);
        await deleteEnded({ pods, logs }, engines, engineId);
        const catalog = await catalogOf(catalogs, order);
        const started = await startPod({ pods, watch }, order, { ...options, claim, catalog });
        return track(started, { engineId, claim });
      } catch (error) {
        if (order.catalog?.digest) catalogs.invalidate(order.catalog.productId, order.catalog.digest);
        if (error instanceof LaunchFailed) throw error;
        throw new LaunchFailed(`failed to start the engine's pod: ${reasonOf(error)}`, { cause: error });
      }
    },

    async attach(incarnation, stored) {
      try {
        return await (stored === null ? search(incarnation) : attach(incarnation, stored));
      } catch (error) {
        return { kind: "unknown", reason: reasonOf(error) };
      }
    },

    logs: (engine, lines) => logs.tail(engine, lines),
    followLogs: (engine, following) => logs.follow(engine, following),

    usage: (processes) => usageOf(usage, processes),

    // Engines take memory of the cluster's nodes, which its scheduler divides.
    proportionalMemory: async () => [],

    async endOrphans({ id, engineId }): Promise<StopOutcome> {
      try {
        const pod = await pods.ofIncarnation(id);
        if (pod === null) return { kind: "exited" };
        await deleteEnded({ pods, logs }, [pod], engineId);
        const process = trackRunning(pod, engineId);
        // A pod that never ran has no process to stop.
        if (process === null) await pods.delete(pod.metadata, 1);
        const outcome = await process?.stop(0);
        if (outcome?.kind === "survived") return outcome;
        return { kind: outcome === undefined ? "exited" : "killed" };
      } catch (error) {
        return podSurvived({ name: id }, reasonOf(error));
      }
    },

    addressConflict: async () => null,

    listOrphans: async (incarnations) => orphansOf((await known.all()).engines, { known: incarnations, namespace }),
  };
}

async function usageOf(usage: PodUsage, processes: readonly EngineProcess[]) {
  const found = processes.length === 0 ? new Map() : await usage.read(performance.now());
  const of = (process: EngineProcess) => (process instanceof PodProcess ? found.get(process.pod.name) : undefined);
  return new Map(processes.flatMap((process) => (of(process) === undefined ? [] : [[process, of(process)]])));
}

/** Deletes pods that ended while no daemon ran, or were evicted, after their last log lines are in the claim. */
async function deleteEnded(
  { pods, logs }: { readonly pods: Pods; readonly logs: PodLogs },
  found: readonly Pod[],
  engineId: string,
): Promise<void> {
  for (const pod of found) {
    if (stateOf(pod).kind !== "ended") continue;
    await logs
      .keep({ ...pod.metadata, engineId, claim: claimOf(pod) }, AbortSignal.timeout(KEEP_LOG_MS))
      .catch(() => undefined);
    await pods.delete(pod.metadata, 1);
  }
}

function orphansOf(
  all: readonly Pod[],
  { known, namespace }: { readonly known: readonly Pick<Incarnation, "id">[]; readonly namespace: string },
) {
  const ids = new Set(known.map(({ id }) => labelValue(id)));
  const running = all.filter((pod) => stateOf(pod).kind !== "ended");
  return running.flatMap(({ metadata: { name, labels } }) => {
    const incarnation = labels[LABELS.incarnation] ?? "";
    if (ids.has(incarnation)) return [];
    const at = `--namespace ${namespace} pod ${name}`;
    return [{ incarnation, pids: [], fix: `kubectl describe ${at} shows it; kubectl delete ${at} ends it` }];
  });
}

async function catalogOf(catalogs: PodCatalogs, { catalog }: LaunchOrder): Promise<PodCatalog | null> {
  if (catalog === undefined || catalog.digest === null) return null;
  const { productId, digest } = catalog;
  const parts = await catalogs.partsOf(productId, digest);
  if (parts === null) throw new LaunchFailed("the files of its product's catalog are not in the cluster");
  return { digest, parts };
}
