import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { connect } from "node:tls";
import { promisify } from "node:util";
import type { Test } from "tap";
import { DockerApi } from "../../src/orchestrator/fleet/docker/docker-api.ts";
import type { KubeApi } from "../../src/orchestrator/fleet/kubernetes/kube-api.ts";
import { addressForPods, forward, podService } from "./cluster-network.ts";
import { daemonImage, engineImage } from "./docker.ts";
import { freshFolder } from "./folder.ts";
import { type TestCluster, type TestNamespace, findKubernetes, testNamespace } from "./kubernetes.ts";
import { freshDatabase } from "./shared-postgres.ts";

const helm = process.env["HELM"] ?? "helm";
export const ADMIN_KEY = "admin-key-of-the-chart-test";

const ACCOUNT_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";
/** What the admission of service accounts mounts, for clusters without it. */
const ACCOUNT = {
  extraVolumes: [
    {
      name: "account",
      projected: {
        sources: [
          { serviceAccountToken: { path: "token" } },
          { configMap: { name: "test-config", items: [{ key: "ca.crt", path: "ca.crt" }] } },
          { downwardAPI: { items: [{ path: "namespace", fieldRef: { fieldPath: "metadata.namespace" } }] } },
        ],
      },
    },
  ],
  extraVolumeMounts: [{ name: "account", mountPath: ACCOUNT_FOLDER, readOnly: true }],
};

export interface ChartRelease extends Pick<TestNamespace, "api" | "left"> {
  readonly namespace: string;
  /** Of the daemons. */
  readonly url: string;
  /** The address of this machine that pods reach. */
  readonly host: string;
  /** Runs a command of Helm, such as `install --wait`, with further values. */
  readonly run: (command: string, set?: object) => Promise<void>;
}

/** Why a test of the chart cannot run here, or null. */
export function missingForChart(cluster: Awaited<ReturnType<typeof findKubernetes>>): string | null {
  if ("missing" in cluster) return cluster.missing;
  return spawnSync(helm, ["version"]).status === 0 ? null : "no helm (HELM)";
}

/** A release of the chart that is not yet installed, in a namespace of its own, with a database and images of this checkout. */
export async function openChartRelease(t: Test, cluster: TestCluster, more: object): Promise<ChartRelease> {
  const { socketPath, access } = cluster;
  const chart = freshFolder(t);
  cpSync(resolve(import.meta.dirname, "../../deploy/helm/orchd"), chart, { recursive: true });
  // A cluster that was built from source does not know its version.
  const about = join(chart, "Chart.yaml");
  writeFileSync(about, readFileSync(about, "utf8").replace(/^kubeVersion: .*$/m, ""));
  const { api, name: namespace, storageClass, left } = await testNamespace(t, cluster);
  const docker = new DockerApi(socketPath);
  const images = { orchd: await daemonImage(socketPath), engine: await engineImage(socketPath) };
  t.teardown(async () => {
    for (const image of Object.values(images))
      await docker.call("DELETE", `/images/${image}`, { query: { force: "true" } });
  });
  const host = await addressForPods(socketPath);
  const server = new URL(access.server);
  // The address of the API in pods. Only a cluster without a proxy for Services needs help here.
  const { spec } = (await api.call("GET", "/api/v1/namespaces/default/services/kubernetes")) as {
    readonly spec: { readonly clusterIP: string };
  };
  const place = ["address", "add", `${spec.clusterIP}/32`, "dev", "lo"];
  spawnSync("ip", place);
  t.teardown(() => void spawnSync("ip", place.with(1, "del")));
  await forward(t, { host: spec.clusterIP, port: 443 }, () => ({ host: server.hostname, port: Number(server.port) }));
  const database = await freshDatabase(t);
  const databasePort = await forward(t, { host }, () => ({ path: `${database.host}/.s.PGSQL.${database.port}` }));
  const { port: daemonPort } = await podService(t, api, { namespace, component: "daemon", podPort: 7700 });
  const url = `http://127.0.0.1:${daemonPort}`;
  await createKeys(api, namespace, await authorityOf(server));
  const values = {
    image: imageValues(images.orchd),
    publicUrl: url,
    database: { url: `postgres://${database.user}:${database.password}@${host}:${databasePort}/${database.database}` },
    keys: { existingSecret: "test-keys" },
    engines: { image: imageValues(images.engine), storageClass, volumeSize: "1Gi" },
    settings: { ORCH_BOOT_TIMEOUT_S: 180, ORCH_BOOT_CONCURRENCY: 4 },
    resources: { requests: { cpu: "10m", memory: "64Mi" } },
    ...ACCOUNT,
    ...more,
  };
  const run = async (command: string, set: object = {}): Promise<void> => {
    const args = [...command.split(" "), "orchd", ...(command.startsWith("uninstall") ? [] : [chart, "--values", "-"])];
    const running = promisify(execFile)(helm, [...args, "--namespace", namespace, "--timeout", "6m"]);
    running.child.stdin?.end(JSON.stringify({ ...values, ...set }));
    const start = performance.now();
    await running;
    t.comment(`helm ${command}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  };
  t.teardown(() => run("uninstall").catch(() => undefined));
  return { api, namespace, left, url, host, run };
}

function imageValues(image: string) {
  const [repository = "", tag = ""] = image.split(":");
  return { repository, tag, pullPolicy: "Never" };
}

/** The certificate that has signed the one of a server, as PEM. */
async function authorityOf({ hostname, port }: URL): Promise<string> {
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { issuerCertificate } = socket.getPeerCertificate(true);
  socket.destroy();
  const lines = issuerCertificate.raw.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

async function createKeys(api: KubeApi, namespace: string, authority: string): Promise<void> {
  const keys = { "admin-key": ADMIN_KEY, "secret-key": "secret-key-of-the-chart-test" };
  await api.call("POST", `/api/v1/namespaces/${namespace}/secrets`, {
    body: { metadata: { name: "test-keys" }, stringData: keys },
  });
  await api.call("POST", `/api/v1/namespaces/${namespace}/configmaps`, {
    body: { metadata: { name: "test-config" }, data: { "ca.crt": authority } },
  });
}
