import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { DockerApi } from "../../src/orchestrator/fleet/docker/docker-api.ts";
import { anthropicText } from "../engine/model/two-providers.ts";
import { startUpstream } from "../engine/model/upstream.ts";
import { ask } from "../helpers/api.ts";
import { ADMIN_KEY, missingForChart, openChartRelease } from "../helpers/chart-release.ts";
import { chartPods, forward, podService } from "../helpers/cluster-network.ts";
import { openStream } from "../helpers/engine.ts";
import { findKubernetes } from "../helpers/kubernetes.ts";
import { until } from "../helpers/until.ts";

const REPLICAS = 2;
const USERS = 3;
const STREAMS = 15;
/** The kubelet waits longer before each start of a container again. */
const KILLS = 4;
/** Between two frames of the provider. */
const PACE_MS = 60;
const READY_MS = 120_000;
const [DAEMON_PORT, BROKER_PORT] = [7700, 7701];

t.setTimeout(1_200_000);
const cluster = await findKubernetes();

t.test("turns survive killed pods and a rolling update of the chart's brokers", async (t) => {
  const missing = missingForChart(cluster);
  if ("missing" in cluster || missing !== null) return t.comment(`skipped: ${missing}`);
  const frames = anthropicText("an answer");
  const upstream = await startUpstream(t, async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const frame of frames) {
      response.write(frame);
      await sleep(PACE_MS);
    }
    response.end();
  });
  const { api, namespace, url, host, run } = await openChartRelease(t, cluster, { replicas: REPLICAS });
  const docker = new DockerApi(cluster.socketPath);
  const target = new URL(upstream.url);
  const modelPort = await forward(t, { host }, () => ({ host: target.hostname, port: Number(target.port) }));
  const parts = { namespace, listen: { host } };
  await podService(t, api, {
    ...parts,
    component: "daemon",
    podPort: DAEMON_PORT,
    listen: { host, port: DAEMON_PORT },
  });
  const brokers = await podService(t, api, { ...parts, component: "broker", podPort: BROKER_PORT });
  await api.call("POST", `/api/v1/namespaces/${namespace}/secrets`, {
    body: { metadata: { name: "test-model" }, stringData: { "api-key": "sk-of-the-host" } },
  });
  const baseUrl = `http://${host}:${modelPort}${target.pathname}`;
  const settings = { ORCH_BOOT_TIMEOUT_S: 180, ORCH_BROKER_URL: `http://${host}:${brokers.port}` };
  const values = { model: { provider: "anthropic", baseUrl, existingSecret: "test-model" }, settings };
  await run("install --wait", values);
  // Names of Services, where the cluster has no DNS.
  const hostAliases = [{ ip: host, hostnames: [`orchd.${namespace}.svc`] }];
  const deployment = `/apis/apps/v1/namespaces/${namespace}/deployments/orchd-broker`;
  await api.patch(deployment, { spec: { template: { spec: { hostAliases } } } });
  await brokersReady();

  const admin = (path: string, body: object) =>
    ask(url, path, { method: "POST", headers: { "x-admin-key": ADMIN_KEY }, body });
  const policy = { requests_per_minute: null };
  const { body: product } = await admin("/products/register", { slug: "acme", policy });
  const headers = { "x-platform-key": product.platform_api_key as string };
  const users = await Promise.all(
    Array.from({ length: USERS }, async (_, at) => {
      const body = { user_id: `user-${at}` };
      const { status, body: engine, text } = await ask(url, "/engines/provision", { method: "POST", headers, body });
      if (status !== 201) throw new Error(text);
      return { url: engine.url as string, key: engine.engine_api_key as string };
    }),
  );
  const over = new AbortController();
  const counts = { completed: 0, repeated: 0 };
  const failures: string[] = [];
  const talk = async (worker: number): Promise<void> => {
    const user = users[worker % USERS];
    if (user === undefined) return;
    for (let turn = 0; !over.signal.aborted; turn++) {
      const body = { task_id: `${worker}-${turn}`, message: "go" };
      const seen = await (
        await openStream(user.url, "/execute", { headers: { "x-engine-key": user.key }, body })
      ).all();
      const again = seen.findLastIndex(({ data }) => data.replaces_from !== undefined);
      // What an answer that was cut had shown is replaced.
      const shown = seen.slice(Math.max(again, 0));
      const text = shown.map(({ event, data }) => (event === "text_delta" ? data.text : "")).join("");
      const error = seen.find(({ event }) => event === "error")?.data.message as string | undefined;
      if (again !== -1) counts.repeated++;
      if (error === undefined && text === "an answer") counts.completed++;
      else failures.push(`${JSON.stringify(text)}: ${error}`);
    }
  };
  const streams = Array.from({ length: STREAMS }, (_, at) => talk(at));
  const goOn = async () => {
    const before = counts.completed;
    await until("turns go on", () => counts.completed >= before + STREAMS, 60_000);
  };

  await t.test("pods are killed one after the other", async (t) => {
    await goOn();
    t.equal(upstream.received[0]?.headers["x-api-key"], "sk-of-the-host");
    t.ok(brokers.called.size >= REPLICAS, "both are called");
    for (let kills = 0; kills < KILLS; kills++) {
      const pod = (await chartPods(api, namespace, "broker"))[kills % REPLICAS];
      // A deletion of the pod lets its calls end.
      await docker.call("POST", `/containers/${pod?.container}/kill`, { query: { signal: "SIGKILL" } });
      await goOn();
      await brokersReady();
    }
    t.same(failures, []);
    t.comment(`${counts.completed} turns, ${counts.repeated} of them with an answer that began again`);
    t.ok(counts.repeated > 0, "streams were cut");
  });

  await t.test("deleted pods end their calls, and others take over", async (t) => {
    const repeated = counts.repeated;
    for (const { name } of await chartPods(api, namespace, "broker")) {
      await api.call("DELETE", `/api/v1/namespaces/${namespace}/pods/${name}`);
      await goOn();
      await brokersReady();
    }
    t.same(failures, []);
    t.equal(counts.repeated, repeated);
  });

  await t.test("a rolling update replaces them, and cuts no stream", async (t) => {
    const repeated = counts.repeated;
    const before = (await chartPods(api, namespace, "broker")).map(({ name }) => name);
    await run("upgrade --wait", { ...values, broker: { terminationGracePeriodSeconds: 61 } });
    await brokersReady();
    await goOn();
    const after = (await chartPods(api, namespace, "broker")).map(({ name }) => name);
    t.same(
      after.filter((name) => before.includes(name)),
      [],
      "all are new",
    );
    t.same(failures, []);
    t.equal(counts.repeated, repeated);
  });

  over.abort();
  await Promise.all(streams);
  t.same(failures, [], "no turn was lost");
  t.comment(`${counts.completed} turns`);

  async function brokersReady(): Promise<void> {
    const areReady = async () => {
      const pods = await chartPods(api, namespace, "broker");
      return pods.length === REPLICAS && pods.every(({ isReady }) => isReady);
    };
    await until("all brokers are ready", areReady, READY_MS);
  }
});
