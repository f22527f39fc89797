import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { connect } from "node:tls";
import { promisify } from "node:util";
import t from "tap";
import { createEngineClient, createOrchestratorClient } from "../../src/client/index.ts";
import { DockerApi } from "../../src/orchestrator/fleet/docker/docker-api.ts";
import type { KubeApi } from "../../src/orchestrator/fleet/kubernetes/kube-api.ts";
import type { KubeError } from "../../src/orchestrator/fleet/kubernetes/kube-errors.ts";
import { ask } from "../helpers/api.ts";
import { addressForPods, daemonPods, daemonService, forward } from "../helpers/cluster-network.ts";
import { daemonImage, engineImage } from "../helpers/docker.ts";
import { freshFolder } from "../helpers/folder.ts";
import { findKubernetes, testNamespace } from "../helpers/kubernetes.ts";
import { freshDatabase } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";

const helm = process.env["HELM"] ?? "helm";
const REPLICAS = 2;
const STREAMS = 20;
/** As the sandbox model says it: some 40 s of text, as long as a rolling upgrade may take. */
const LONG_TURN = "/stream 600 15";
const ADMIN_KEY = "admin-key-of-the-chart-test";

t.setTimeout(1_500_000);
const cluster = await findKubernetes();

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

t.test("the chart on a cluster", { skip: missing() }, async (t) => {
  if ("missing" in cluster) return;
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
  const url = await daemonService(t, api, namespace);
  await createKeys(api, namespace, await authorityOf(server));
  const values = {
    replicas: REPLICAS,
    image: imageValues(images.orchd),
    publicUrl: url,
    database: { url: `postgres://${database.user}:${database.password}@${host}:${databasePort}/${database.database}` },
    keys: { existingSecret: "test-keys" },
    engines: { image: imageValues(images.engine), storageClass, volumeSize: "1Gi" },
    settings: { ORCH_BOOT_TIMEOUT_S: 180, ORCH_BOOT_CONCURRENCY: 4 },
    resources: { requests: { cpu: "10m", memory: "64Mi" } },
    ...ACCOUNT,
  };
  const run = async (command: string, set: object = {}) => {
    const args = [...command.split(" "), "orchd", ...(command.startsWith("uninstall") ? [] : [chart, "--values", "-"])];
    const running = promisify(execFile)(helm, [...args, "--namespace", namespace, "--timeout", "6m"]);
    running.child.stdin?.end(JSON.stringify({ ...values, ...set }));
    const start = performance.now();
    await running;
    t.comment(`helm ${command}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  };
  t.teardown(() => run("uninstall").catch(() => undefined));

  await run("install --wait");
  const admin = (path: string, body?: object) =>
    ask(url, path, { headers: { "x-admin-key": ADMIN_KEY }, ...(body && { method: "POST", body }) });
  const { body: product } = await admin("/products/register", { slug: "demo" });
  const platformKey = product.platform_api_key as string;
  const orchestrator = createOrchestratorClient({ url, platformKey });
  const { engine_api_key: key, ...ann } = await orchestrator.provision({ userId: "ann" });
  let engine = createEngineClient({ url: ann.url, key: key ?? "" });
  const say = (text: string) => engine.execute({ taskId: "chat", message: `/say ${text}` }).text();

  await t.test("all replicas are ready, and an engine streams through them", async (t) => {
    const pods = await daemonPods(api, namespace);
    t.same([pods.length, pods.filter(({ isReady }) => isReady).length], [REPLICAS, REPLICAS]);
    for (const { ip } of pods) {
      const through = createEngineClient({ url: ann.url.replace(url, `http://${ip}:7700`), key: key ?? "" });
      t.equal(await through.execute({ taskId: ip, message: "/say hello" }).text(), "hello");
    }
  });

  await t.test("an engine sleeps as no pod, and a call wakes it with its data", async (t) => {
    await say("before");
    const sleep = { method: "POST", headers: { "x-platform-key": platformKey }, body: {} };
    t.match(await ask(url, "/engines/ann/sleep", sleep), { status: 200 });
    t.same(await enginePods(), []);
    t.equal(await say("after"), "after");
    t.match(JSON.stringify((await engine.replay({ taskId: "chat" })).events), /before.*after/);
  });

  await t.test("a rotated key is the only one that is accepted", async (t) => {
    const { engine_api_key: rotated } = await orchestrator.rotateKey("ann");
    const old = {
      method: "POST",
      headers: { "x-engine-key": key ?? "" },
      body: { task_id: "chat", message: "/say old" },
    };
    t.equal((await ask(ann.url, "/execute", old)).status, 401);
    engine = createEngineClient({ url: ann.url, key: rotated ?? "" });
    t.equal(await say("rotated"), "rotated");
  });

  await t.test("streams survive a killed leader, a rolling upgrade and evictions", async (t) => {
    const engines = [engine];
    for (const userId of ["bob", "cho", "dan"]) {
      const { url, engine_api_key } = await orchestrator.provision({ userId });
      engines.push(createEngineClient({ url, key: engine_api_key ?? "" }));
    }
    const incarnations = async () => {
      const found = [];
      for await (const { user_id, incarnation } of orchestrator.list()) found.push(`${user_id} ${incarnation}`);
      return found.sort();
    };
    const started = await incarnations();
    const expected = await engine.execute({ taskId: "calm", message: LONG_TURN.replace(" 15", " 1000") }).text();

    const disturb = async (what: string, work: () => Promise<void>) => {
      const streams = Array.from({ length: STREAMS }, (_, index) =>
        engines[index % engines.length]?.execute({ taskId: `${what}-${index}`, message: LONG_TURN }),
      );
      let done = 0;
      const texts = Promise.allSettled(
        streams.map(async (stream) => {
          const text = await stream?.text();
          done++;
          return text;
        }),
      );
      await work();
      const early = done;
      const broken = (await texts).filter((one) => one.status === "rejected" || one.value !== expected);
      t.same(broken, [], `${what}: every stream has its whole text`);
      t.comment(`${what}: ${STREAMS - early} of ${STREAMS} streams were open to the end of it`);
      t.same(await incarnations(), started, `${what}: no engine was restarted`);
    };

    await disturb("killed leader", async () => {
      const before = await leaderUrl();
      const leader = (await daemonPods(api, namespace)).find(({ ip }) => before.includes(`//${ip}:`));
      const kill = { body: { gracePeriodSeconds: 0 } };
      await api.call("DELETE", `/api/v1/namespaces/${namespace}/pods/${leader?.name}`, kill);
      const killed = performance.now();
      await until("another pod leads", async () => ![before, ""].includes(await leaderUrl()), 30_000);
      t.comment(`another leader after ${Math.round(performance.now() - killed)} ms`);
      await orchestrator.get("ann");
      t.comment(`a call of the orchestrator answered after ${Math.round(performance.now() - killed)} ms`);
      await allReady();
    });
    await disturb("rolling upgrade", () => run("upgrade --wait", { podAnnotations: { round: "2" } }));
    await disturb("evictions", async () => {
      for (const { name } of await daemonPods(api, namespace)) {
        await evict(name);
        // The budget lets no second one go before.
        t.equal(await evictOther(name), 429);
        await allReady();
      }
    });
  });

  await t.test("helm uninstall ends the engines, and another installation continues with their data", async (t) => {
    await run("uninstall");
    t.same(await left("pods"), []);
    t.equal((await left("persistentvolumeclaims")).length, 4);
    await run("install --wait", { uninstall: { deleteData: true } });
    t.equal(await say("again"), "again");
    t.match(JSON.stringify((await engine.replay({ taskId: "chat" })).events), /before.*again/);
  });

  await t.test("helm uninstall with uninstall.deleteData leaves nothing", async (t) => {
    await run("uninstall");
    const own = /^(?:test-|default-token-|default$|kube-root-ca)/;
    const rest = async (kind: string) => (await left(kind)).filter((name) => !own.test(name));
    await until("the claims are gone", async () => (await rest("persistentvolumeclaims")).length === 0);
    for (const kind of ["pods", "secrets", "configmaps", "services", "serviceaccounts"])
      t.same(await rest(kind), [], kind);
  });

  /** The status that it is refused with. */
  async function evictOther(name: string): Promise<number | null> {
    const other = (await daemonPods(api, namespace)).find((pod) => pod.name !== name && pod.isReady);
    return evict(other?.name ?? "").then(
      () => null,
      (error: KubeError) => error.status,
    );
  }

  async function evict(name: string): Promise<void> {
    const body = { apiVersion: "policy/v1beta1", kind: "Eviction", metadata: { name, namespace } };
    await api.call("POST", `/api/v1/namespaces/${namespace}/pods/${name}/eviction`, { body });
  }

  async function allReady(): Promise<void> {
    const areReady = async () =>
      (await daemonPods(api, namespace)).filter(({ isReady }) => isReady).length === REPLICAS;
    await until("all daemons are ready", areReady, 120_000);
  }

  async function leaderUrl(): Promise<string> {
    const { body } = await ask(url, "/health").catch(() => ({ body: {} }));
    return body.leader ?? "";
  }

  async function enginePods(): Promise<readonly string[]> {
    const daemons = (await daemonPods(api, namespace)).map(({ name }) => name);
    return (await left("pods")).filter((name) => !daemons.includes(name));
  }
});

function missing(): string | false {
  if ("missing" in cluster) return cluster.missing;
  return spawnSync(helm, ["version"]).status === 0 ? false : "no helm (HELM)";
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
