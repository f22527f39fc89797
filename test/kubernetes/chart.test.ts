import t from "tap";
import { createEngineClient, createOrchestratorClient } from "../../src/client/index.ts";
import type { KubeError } from "../../src/orchestrator/fleet/kubernetes/kube-errors.ts";
import { ask } from "../helpers/api.ts";
import { ADMIN_KEY, missingForChart, openChartRelease } from "../helpers/chart-release.ts";
import { daemonPods } from "../helpers/cluster-network.ts";
import { findKubernetes } from "../helpers/kubernetes.ts";
import { until } from "../helpers/until.ts";

const REPLICAS = 2;
const STREAMS = 20;
/** As the sandbox model says it: some 40 s of text, as long as a rolling upgrade may take. */
const LONG_TURN = "/stream 600 15";

t.setTimeout(1_500_000);
const cluster = await findKubernetes();

t.test("the chart on a cluster", { skip: missingForChart(cluster) ?? false }, async (t) => {
  if ("missing" in cluster) return;
  const { api, namespace, left, url, run } = await openChartRelease(t, cluster, { replicas: REPLICAS });

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
    const query = { labelSelector: "orchd.deployment" };
    const path = `/api/v1/namespaces/${namespace}/pods`;
    const { items } = (await api.call("GET", path, { query })) as { readonly items: readonly EnginePod[] };
    return items.map(({ metadata }) => metadata.name);
  }
});

interface EnginePod {
  readonly metadata: { readonly name: string };
}
