import { randomUUID } from "node:crypto";
import { chownSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Test } from "tap";
import { type ClusterAccess, findCluster } from "../../src/orchestrator/fleet/kubernetes/cluster-access.ts";
import { KubeApi } from "../../src/orchestrator/fleet/kubernetes/kube-api.ts";
import { isStatus } from "../../src/orchestrator/fleet/kubernetes/kube-errors.ts";
import { delay } from "../../src/shared/clock.ts";
import type { EngineParameters, LaunchOrder } from "../../src/orchestrator/fleet/engine-backend.ts";
import { CONTROL_TOKEN, PROVIDER_KEY } from "../backends/under-test.ts";
import { FIXTURES, findDocker } from "./docker.ts";
import { catalogFolders, knowledgeFiles } from "./fleet.ts";
import { temporaryFolder } from "./run.ts";
import { until } from "./until.ts";

const POLL_MS = 100;
/** As the engines' user in their pods. */
const USER = 65_532;

export interface TestCluster {
  readonly access: ClusterAccess;
  /** Of the Docker engine that the kubelet of the one node uses: images are made there, and processes looked at. */
  readonly socketPath: string;
}

/** The cluster of `KUBECONFIG`, whose one node uses the Docker engine of `DOCKER_HOST`. Null, with the reason, without one. */
export async function findKubernetes(): Promise<TestCluster | { readonly missing: string }> {
  const path = process.env["KUBECONFIG"];
  if (path === undefined) return { missing: "no cluster (KUBECONFIG)" };
  const docker = await findDocker();
  if ("missing" in docker) return docker;
  try {
    const access = await findCluster(path, { host: null, port: "" });
    await new KubeApi(access).call("GET", "/version");
    return { access, ...docker };
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
}

export interface TestNamespace {
  readonly name: string;
  readonly storageClass: string;
  readonly api: KubeApi;
  /** Names of what is left of a kind, such as `pods`. */
  readonly left: (kind: string) => Promise<readonly string[]>;
}

/** Of a backend whose engines are the fixtures. A daemon of its own may get them as JSON. */
export const podSettings = ({ name, storageClass }: Pick<TestNamespace, "name" | "storageClass">, image: string) => ({
  namespace: name,
  image,
  pullPolicy: "Never" as const,
  runtimeClass: null,
  storageClass,
  volumeSize: "1Gi",
  entry: `${FIXTURES}/by-user.cjs`,
  folderProgram: `${FIXTURES}/orchd-folder.cjs`,
  catalogProgram: `${FIXTURES}/none.cjs`,
  checker: catalogFolders("/nonexistent"),
  knowledge: knowledgeFiles("/nonexistent"),
  deployment: `host_${randomUUID()}`,
  certificates: null,
  startMs: 60_000,
});

/** An order of a fixture, named by its user. */
export const podOrder = (user: string, more: Partial<EngineParameters> = {}): LaunchOrder => ({
  memoryMb: 256,
  uid: null,
  cpuWeight: 10,
  // An owner has one engine.
  owner: { product_id: `prd_${randomUUID()}`, user_id: user },
  launch: {
    engine_id: `eng_${randomUUID()}`,
    incarnation: randomUUID(),
    product: "acme",
    user_id: user,
    port: 20_000,
    keys: [],
    control_token: CONTROL_TOKEN,
    settings: { LLM_API_KEY: PROVIDER_KEY },
    tool_network: "open",
    tool_listen: [],
    limits: { max_processes: 256, memory_mb: 256, disk_mb: 2048 },
    ...more,
  },
});

interface Listed {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly uid: string; readonly namespace: string };
    readonly spec: { readonly storageClassName?: string; readonly volumeName?: string };
  }[];
}

/** A namespace with a storage class, whose volumes are folders of this machine. Both go with the test. */
export async function testNamespace(t: Test, { access }: Pick<TestCluster, "access">): Promise<TestNamespace> {
  const api = new KubeApi(access);
  const name = `orchd-test-${randomUUID().slice(0, 8)}`;
  const folder = temporaryFolder("volumes");
  const end = new AbortController();
  await api.call("POST", "/api/v1/namespaces", { body: { metadata: { name } } });
  await api.call("POST", "/apis/storage.k8s.io/v1/storageclasses", {
    body: { metadata: { name }, provisioner: "orchd.test/folder" },
  });
  const provisioned = provisionVolumes(api, { storageClass: name, folder, signal: end.signal });
  t.teardown(async () => {
    await api.call("DELETE", `/api/v1/namespaces/${name}`);
    await until("the namespace is gone", () => isGone(api, `/api/v1/namespaces/${name}`), 120_000);
    await api.call("DELETE", `/apis/storage.k8s.io/v1/storageclasses/${name}`);
    end.abort();
    await provisioned;
    // Nothing deletes them: their folders are not where the controller of such volumes may remove any.
    await deleteVolumes(api, name);
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    name,
    storageClass: name,
    api,
    left: async (kind) => {
      const { items } = (await api.call("GET", `/api/v1/namespaces/${name}/${kind}`)) as Listed;
      return items.map(({ metadata }) => metadata.name);
    },
  };
}

const isGone = (api: KubeApi, path: string): Promise<boolean> =>
  api.call("GET", path).then(
    () => false,
    (error: unknown) => isStatus(error, 404),
  );

/** What a provisioner of storage does: makes a volume for each claim of the class, until the signal aborts. */
async function provisionVolumes(
  api: KubeApi,
  {
    storageClass,
    folder,
    signal,
  }: { readonly storageClass: string; readonly folder: string; readonly signal: AbortSignal },
): Promise<void> {
  do {
    const { items } = (await api.call("GET", "/api/v1/persistentvolumeclaims")) as Listed;
    const waiting = items.filter(({ spec }) => spec.storageClassName === storageClass && spec.volumeName === undefined);
    for (const { metadata } of waiting) await createVolume(api, { storageClass, folder, claim: metadata });
  } while (await delay(POLL_MS, signal));
}

async function deleteVolumes(api: KubeApi, storageClass: string): Promise<void> {
  const { items } = (await api.call("GET", "/api/v1/persistentvolumes")) as Listed;
  for (const { metadata, spec } of items)
    if (spec.storageClassName === storageClass) await api.call("DELETE", `/api/v1/persistentvolumes/${metadata.name}`);
}

async function createVolume(
  api: KubeApi,
  {
    storageClass,
    folder,
    claim,
  }: { readonly storageClass: string; readonly folder: string; readonly claim: Listed["items"][number]["metadata"] },
): Promise<void> {
  const path = join(folder, claim.uid);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chownSync(path, USER, USER);
  const volume = {
    metadata: { name: `pv-${claim.uid}` },
    spec: {
      storageClassName: storageClass,
      capacity: { storage: "1Ti" },
      accessModes: ["ReadWriteOnce"],
      persistentVolumeReclaimPolicy: "Delete",
      hostPath: { path },
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", ...claim },
    },
  };
  await api.call("POST", "/api/v1/persistentvolumes", { body: volume }).catch((error: unknown) => {
    // It was made already, and is not yet bound.
    if (!isStatus(error, 409)) throw error;
  });
}
