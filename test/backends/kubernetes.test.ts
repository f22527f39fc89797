import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import t from "tap";
import type { EngineProcess, LaunchOrder } from "../../src/orchestrator/fleet/engine-backend.ts";
import { DockerApi } from "../../src/orchestrator/fleet/docker/docker-api.ts";
import { createKubernetesBackend } from "../../src/orchestrator/fleet/kubernetes/kubernetes-backend.ts";
import { podName } from "../../src/orchestrator/fleet/kubernetes/pod-spec.ts";
import { Pods } from "../../src/orchestrator/fleet/kubernetes/pods.ts";
import { compileCache } from "../helpers/compile-cache.ts";
import { fixtureImage } from "../helpers/docker.ts";
import { fixture } from "../helpers/fleet.ts";
import { findKubernetes, podOrder, podSettings, testNamespace } from "../helpers/kubernetes.ts";
import { until } from "../helpers/until.ts";
import { conformance } from "./conformance.ts";

t.setTimeout(1_200_000);
const cluster = await findKubernetes();
const skip = "missing" in cluster && cluster.missing;

t.test("the Kubernetes backend", { skip }, async (t) => {
  if ("missing" in cluster) return;
  const { access, socketPath } = cluster;
  const image = await fixtureImage(socketPath);
  const namespace = await testNamespace(t, cluster);
  const { api, left } = namespace;
  const settings = podSettings(namespace, image);
  const options = { ...settings, access };
  const docker = new DockerApi(socketPath);
  const pods = new Pods(api, settings);
  const backend = createKubernetesBackend(options);
  const other = createKubernetesBackend({ ...options, deployment: `host_${randomUUID()}` });
  const hold = setInterval(() => undefined, 1000);
  t.teardown(() => clearInterval(hold));
  const nameOf = ({ launch }: LaunchOrder) => podName(settings.deployment, launch.incarnation);
  const containerOf = async (name: string): Promise<string | null> => {
    const [status] = (await pods.find(name))?.status.containerStatuses ?? [];
    return status?.state.running === undefined ? null : (status.containerID?.replace(/^docker:\/\//, "") ?? null);
  };

  await conformance(t, {
    backend,
    laterDaemon: () => createKubernetesBackend(options),
    otherDeployment: () => other,
    brokenDaemon: () => createKubernetesBackend({ ...options, image: "orchd-nowhere:none" }),
    order: async (user = "does-as-told", more = {}) => podOrder(user, more),
    async launchAndDie(order) {
      const kubeconfig = process.env["KUBECONFIG"];
      const daemon = spawn(
        process.execPath,
        [fixture("kubernetes-daemon-that-dies.ts"), JSON.stringify({ settings, order, kubeconfig })],
        { env: compileCache, stdio: ["ignore", "pipe", "inherit"] },
      );
      const [line] = await once(createInterface({ input: daemon.stdout }), "line");
      daemon.kill("SIGKILL");
      return JSON.parse(line);
    },
    async running(order) {
      const id = await containerOf(nameOf(order));
      if (id === null) return 0;
      const top = await docker.call("GET", `/containers/${id}/top`).catch(() => ({ Processes: [] }));
      return (top as { readonly Processes: readonly unknown[] }).Processes.length;
    },
    visible: async ({ handle }) => JSON.stringify(await api.call("GET", `${pods.path}/${String(handle["pod"])}`)),
    async holdsSecrets(order) {
      const path = `/api/v1/namespaces/${namespace.name}/secrets/${nameOf(order)}`;
      const found = (await api.call("GET", path).catch(() => ({}))) as { readonly data?: Record<string, string> };
      return Object.values(found.data ?? {}).some((value) => value !== "");
    },
    async kill({ handle }: EngineProcess) {
      const id = await containerOf(String(handle["pod"]));
      await docker.call("POST", `/containers/${id}/kill`, { query: { signal: "SIGKILL" } });
    },
    // A pod outlives a restart of its machine in the API, as one that has ended.
    ofEarlierBoot: () => null,
    limitsMemory: true,
    holdsSockets: false,
    takesHostPorts: false,
    reportsAtOnce: false,
    reportsUsage: false,
    readsStorage: true,
  });
  // The cluster's own token of a service account stays.
  const ours = async (kind: string) => (await left(kind)).filter((name) => name.startsWith("orchd-"));
  for (const kind of ["pods", "secrets", "persistentvolumeclaims"])
    await until(`no ${kind} are left`, async () => (await ours(kind)).length === 0, 180_000);
});
