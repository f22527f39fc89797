import t from "tap";
import { DockerApi } from "../../src/orchestrator/fleet/docker/docker-api.ts";
import { BROKER_PORT, startApartBroker } from "../helpers/apart-broker.ts";
import { catalogArchive } from "../helpers/catalog-archive.ts";
import { closeBridge, missingForClosedBridge } from "../helpers/closed-bridge.ts";
import { addressForPods } from "../helpers/cluster-network.ts";
import { freePort, startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { findKubernetes, testNamespace } from "../helpers/kubernetes.ts";
import { testAuthority } from "../helpers/secret-host.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { missingForToolImage, toolImage } from "../helpers/tool-image.ts";
import { until } from "../helpers/until.ts";
import { findsByMeaning } from "./knowledge-cases.ts";
import { egressCases } from "./egress-cases.ts";
import { searchAsTool, secretCases } from "./secret-cases.ts";
import { toolTurns } from "./tool-turns.ts";

const SECRET = "a secret of daemons and brokers";

t.setTimeout(900_000);
const cluster = await findKubernetes();
const missing = "missing" in cluster ? cluster.missing : (missingForToolImage() ?? missingForClosedBridge());

t.test("an engine in a pod that reaches the broker and nothing else", { skip: missing ?? false }, async (t) => {
  if ("missing" in cluster) return;
  const { socketPath } = cluster;
  const namespace = await testNamespace(t, cluster);
  const image = await toolImage(socketPath);
  t.teardown(() => new DockerApi(socketPath).call("DELETE", `/images/${image}`, { query: { force: "true" } }));
  const host = await addressForPods(socketPath);
  const authority = testAuthority(freshFolder(t));
  const port = await freePort();
  const daemonUrl = `http://127.0.0.1:${port}`;
  const trust = { NODE_EXTRA_CA_CERTS: authority.certificates };
  const { url } = await startApartBroker(t, { secret: SECRET, host, daemonUrl, env: trust });
  const daemon = await startDaemon(t, {
    dataDir: freshFolder(t),
    databaseUrl: await freshDatabaseUrl(t),
    env: {
      ...trust,
      ORCH_BACKEND: "kubernetes",
      ORCH_KUBERNETES_NAMESPACE: namespace.name,
      ORCH_KUBERNETES_STORAGE_CLASS: namespace.storageClass,
      ORCH_KUBERNETES_IMAGE: image,
      ORCH_KUBERNETES_PULL_POLICY: "Never",
      KUBECONFIG: process.env["KUBECONFIG"] ?? "",
      LLM_PROVIDER: "sandbox",
      ORCH_PORT: String(port),
      ORCH_PUBLIC_URL: daemonUrl,
      ORCH_BROKER_URL: url,
      ORCH_BROKER_KEY: SECRET,
      ORCH_ENGINE_EGRESS: "broker",
    },
  });
  const { body: registered } = await daemon.admin("/products/register", { method: "POST", body: { slug: "demo" } });
  t.teardown(() => daemon.admin("/products/demo?force=true", { method: "DELETE" }).catch(() => undefined));
  const key = registered.platform_api_key as string;
  const platform = (method: string, path: string, body?: object) =>
    daemon.platform(key, path, { method, ...(body !== undefined && { body }) });
  const { status, body: engine, text } = await platform("POST", "/engines/provision", { user_id: "ann" });
  if (status !== 201) throw new Error(text);
  const place = {
    base: daemonUrl,
    issuer: daemonUrl,
    host,
    authority,
    user: "ann",
    engine: { id: engine.id as string, key: engine.engine_api_key as string },
    platform,
    setPolicy: (policy: object) => daemon.admin("/products/demo/policy", { method: "PUT", body: policy }),
    privateHosts: [],
    admin: (path: string) => daemon.admin(path),
    async push(files: Parameters<typeof catalogArchive>[0]) {
      const pushed = await daemon.platform(key, "/catalog", { method: "PUT", body: await catalogArchive(files) });
      if (pushed.status !== 200) throw new Error(pushed.text);
      const { version } = pushed.body as { readonly version: number };
      const isUsed = async () => (await platform("GET", "/engines/ann")).body.catalog?.version === version;
      await until("the catalog is used", isUsed, 60_000);
    },
  };
  closeBridge(t, BROKER_PORT);
  await t.test("it finds documents of its product by their meaning", (t) =>
    findsByMeaning(t, {
      daemon: () => daemon,
      key,
      engine: { url: `${daemonUrl}/e/${engine.id}`, key: engine.engine_api_key },
      platform,
    }),
  );
  await egressCases(t, place);
  const known = await secretCases(t, place);
  await t.test("attack: a tool that knows the secrets searches its pod for them", async (t) => {
    await searchAsTool(t, known, engine.id);
  });
  await t.test("attack: a program connects past the proxy", async (t) => {
    const { script } = known;
    t.match(await script('curl -sS -m 5 --noproxy "*" http://1.1.1.1/'), /curl: \(\d+\)/);
    t.match(await script(`curl -sS -m 5 --noproxy "*" ${url}/health`), /ok|{/i, "the broker is reached");
    t.equal((await toolTurns(place).turn("/say still here")).status, 200);
  });
});
