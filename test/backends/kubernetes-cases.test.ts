import { randomUUID } from "node:crypto";
import t from "tap";
import { InvalidSettings } from "../../src/shared/environment.ts";
import type { EngineBackend, LaunchOrder } from "../../src/orchestrator/fleet/engine-backend.ts";
import { assertKubernetes } from "../../src/orchestrator/fleet/kubernetes/assert-kubernetes.ts";
import { findCluster } from "../../src/orchestrator/fleet/kubernetes/cluster-access.ts";
import { createKubernetesBackend } from "../../src/orchestrator/fleet/kubernetes/kubernetes-backend.ts";
import { podName, podSpec } from "../../src/orchestrator/fleet/kubernetes/pod-spec.ts";
import { Pods } from "../../src/orchestrator/fleet/kubernetes/pods.ts";
import { LaunchFailed } from "../../src/orchestrator/fleet/launch-failed.ts";
import { fixtureImage } from "../helpers/docker.ts";
import { findKubernetes, podOrder, podSettings, testNamespace } from "../helpers/kubernetes.ts";
import { until } from "../helpers/until.ts";
import { faultyApi } from "./kubernetes-faults.ts";
import { clear, healthy, incarnationOf, nextOf, started } from "./under-test.ts";

t.setTimeout(900_000);
const cluster = await findKubernetes();
const skip = "missing" in cluster && cluster.missing;

t.test("the Kubernetes backend", { skip }, async (t) => {
  if ("missing" in cluster) return;
  const { access, socketPath } = cluster;
  const namespace = await testNamespace(t, cluster);
  const { api, name, left } = namespace;
  const settings = podSettings(namespace, await fixtureImage(socketPath));
  const options = { ...settings, access };
  const pods = new Pods(api, settings);
  const backend = createKubernetesBackend(options);
  const under = { backend } as Parameters<typeof started>[1];
  const hold = setInterval(() => undefined, 1000);
  t.teardown(() => clearInterval(hold));
  const podOf = ({ launch }: LaunchOrder) => podName(settings.deployment, launch.incarnation);
  const start = (t: Parameters<typeof started>[0]) => started(t, under, podOrder("does-as-told"));
  const refusal = async (t: Parameters<typeof started>[0], of: EngineBackend, order = podOrder("does-as-told")) => {
    t.teardown(() => clear(of, order));
    const error = await of.launch(order).catch((cause: unknown) => cause);
    if (!(error instanceof LaunchFailed)) throw new Error("it was launched");
    await until("no pod is left", async () => (await pods.find(podOf(order))) === null, 60_000);
    return error.message;
  };
  /** Sets a pod's status, as the kubelet and controllers do. */
  const setStatus = (pod: string, status: object) =>
    api.call("PATCH", `${pods.path}/${pod}/status`, { body: { status }, contentType: "application/merge-patch+json" });

  await t.test("an image that cannot be pulled is reported with the cluster's message", async (t) => {
    const nowhere = { ...options, image: "127.0.0.1:9/orchd/nowhere:1", pullPolicy: "IfNotPresent" as const };
    t.match(await refusal(t, createKubernetesBackend(nowhere)), /cannot start: (?:ErrImagePull|ImagePullBackOff): /);
  });

  await t.test("a missing or broken catalog is reported", async (t) => {
    const digest = "a".repeat(64);
    const order = { ...podOrder("does-as-told"), catalog: { productId: "prd_1", version: 1, digest } };
    t.match(await refusal(t, backend, order), /files of its product's catalog are not in the cluster/);
    await backend.catalogs.ensure("prd_1", digest, async () => Buffer.from("no archive"));
    t.teardown(() => backend.catalogs.erase("prd_1"));
    // The image of the fixtures has no program that unpacks.
    t.match(await refusal(t, backend, order), /the engine's pod cannot start: Error: .*Cannot find module/);
  });

  await t.test("a pod that fits no node is reported within the start timeout", async (t) => {
    const order = { ...podOrder("does-as-told"), cpuWeight: 1_000_000 };
    const said = await refusal(t, createKubernetesBackend({ ...options, startMs: 3000 }), order);
    t.match(said, /did not start within 3 s: Unschedulable: .*[Ii]nsufficient cpu/);
  });

  await t.test("a volume that no provisioner makes is reported", async (t) => {
    const name = `${namespace.name}-pending`;
    const path = "/apis/storage.k8s.io/v1/storageclasses";
    await api.call("POST", path, { body: { metadata: { name }, provisioner: "orchd.test/nobody" } });
    t.teardown(() => api.call("DELETE", `${path}/${name}`));
    const pending = createKubernetesBackend({ ...options, storageClass: name, startMs: 3000 });
    t.match(await refusal(t, pending), /did not start within 3 s: Unschedulable: .*PersistentVolumeClaims/);
  });

  await t.test("an exceeded quota is reported", async (t) => {
    const path = `/api/v1/namespaces/${name}/resourcequotas`;
    await api.call("POST", path, { body: { metadata: { name: "none" }, spec: { hard: { pods: "0" } } } });
    t.teardown(() => api.call("DELETE", `${path}/none`));
    await until("the quota holds", async () => {
      const quota = (await api.call("GET", `${path}/none`)) as { readonly status?: { readonly hard?: object } };
      return quota.status?.hard !== undefined;
    });
    t.match(await refusal(t, backend), /exceeded quota: none/);
  });

  await t.test("a pod with a foreign identity is neither adopted nor stopped", async (t) => {
    const { order, process } = await start(t);
    const foreign = { ...process.handle, uid: randomUUID() };
    t.same(await backend.attach(incarnationOf(order), foreign), { kind: "gone", cause: "exit" });
    t.notOk(await pods.delete({ name: podOf(order), uid: randomUUID() }, 1));
    t.match(await backend.attach(incarnationOf(order), process.handle), { kind: "running" });
    t.match(await healthy(order, process), { kind: "healthy" });
  });

  await t.test("a deleted or evicted pod counts as ended by the host, with a reason", async (t) => {
    const { process, order } = await start(t);
    const body = { apiVersion: "policy/v1beta1", kind: "Eviction", metadata: { name: podOf(order), namespace: name } };
    await api.call("POST", `${pods.path}/${podOf(order)}/eviction`, { body });
    t.match(await process.exited, { host: /evicted|deleted/ });
  });

  await t.test("an evicted pod is gone by the host for a later daemon", async (t) => {
    const order = podOrder("does-as-told");
    // No kubelet sees it: it is for a node that does not exist.
    const spec = podSpec(order, settings, { claim: "none", catalog: null });
    const nodeName = "no-such-node";
    const { metadata } = await pods.create({ ...spec, spec: { ...spec.spec, nodeName } });
    t.teardown(() => pods.delete(metadata, 0));
    const { pod: _, ...fields } = { pod: metadata.name };
    const handle = { backend: "kubernetes", version: 1, namespace: name, ip: "192.0.2.1", node: nodeName, ...fields };
    const known = { ...handle, pod: metadata.name, uid: metadata.uid };
    t.match(await backend.attach(incarnationOf(order), known), { kind: "unknown" }, "before it runs");
    await setStatus(metadata.name, { phase: "Failed", reason: "Evicted", message: "The node was low on resource" });
    t.same(await backend.attach(incarnationOf(order), known), { kind: "gone", cause: "host" });
    await pods.delete(metadata, 0);
    t.same(await backend.attach(incarnationOf(order), known), { kind: "gone", cause: "host" }, "with its node");
  });

  await t.test("without the API", async (t) => {
    const proxy = await faultyApi(access);
    t.teardown(() => proxy.close());
    const far = createKubernetesBackend({ ...options, access: proxy.access });
    const { order, process } = await started(t, { ...under, backend: far }, podOrder("does-as-told"));
    let exits = 0;
    void process.exited.then(() => exits++);

    await t.test("engines run on, and whether they do is unknown", async (t) => {
      proxy.goAway();
      t.match(await far.attach(incarnationOf(order), process.handle), {
        kind: "unknown",
        reason: /API does not answer/,
      });
      t.match(await far.attach(incarnationOf(order), null), { kind: "unknown" });
      t.match(await process.stop(100), { kind: "survived", reason: /API does not answer/ });
      t.match(await far.endOrphans(incarnationOf(order)), { kind: "survived" });
      t.match(await far.launch(podOrder("away")).catch((error: unknown) => error), { name: "LaunchFailed" });
      await t.rejects(far.storage.keep({ id: order.launch.engine_id, product_id: "p", user_id: "u" }));
      t.match(await healthy(order, process), { kind: "healthy" });
      t.equal(exits, 0);
    });

    await t.test("the exit that happened meanwhile is reported when it is back", async (t) => {
      await pods.delete(process.handle as never, 1).catch(() => undefined);
      await backend.endOrphans(incarnationOf(order));
      t.equal(exits, 0);
      proxy.faults.away = false;
      await process.exited;
      t.equal(exits, 1);
    });
  });

  await t.test("an exit is reported once, although the watch", async (t) => {
    const proxy = await faultyApi(access);
    t.teardown(() => proxy.close());
    const far = createKubernetesBackend({ ...options, access: proxy.access });
    const reported = async (t: Parameters<typeof started>[0], doWrong: () => void) => {
      const { order, process } = await started(t, { ...under, backend: far }, podOrder("does-as-told"));
      let exits = 0;
      void process.exited.then(() => exits++);
      doWrong();
      void fetch(`${process.address}/do/exit?code=3`).catch(() => undefined);
      t.match(await process.exited, { code: 3 });
      t.equal(exits, 1);
      t.match(await far.attach(incarnationOf(order), process.handle), { kind: "gone" });
    };

    await t.test("was cut", (t) => reported(t, () => proxy.cutWatches()));
    await t.test("has expired (410)", async (t) => {
      proxy.faults.expired = true;
      await reported(t, () => proxy.cutWatches());
      proxy.faults.expired = false;
    });
    await t.test("tells each event twice", async (t) => {
      proxy.faults.twice = true;
      proxy.cutWatches();
      await reported(t, () => undefined);
      proxy.faults.twice = false;
    });
    await t.test("loses events, until it is cut", async (t) => {
      await reported(t, () => {
        proxy.faults.lost = true;
        setTimeout(() => proxy.cutWatches(), 3000);
      });
      proxy.faults.lost = false;
    });
  });

  await t.test("nothing is left whichever call of a start and a stop fails", async (t) => {
    const proxy = await faultyApi(access);
    t.teardown(() => proxy.close());
    const far = createKubernetesBackend({ ...options, access: proxy.access });
    let order = podOrder("does-as-told");
    t.teardown(() => clear(backend, order));
    const failed = new Set<number>();
    for (let calls = 0; calls < 10; calls++) {
      proxy.faults.failAfter = calls;
      const process = await far.launch(order).catch(() => null);
      const outcome = await process?.stop(1000);
      if (process === null || outcome?.kind === "survived") failed.add(calls);
      proxy.faults.failAfter = -1;
      t.not((await far.endOrphans(incarnationOf(order))).kind, "survived");
      await until("its pod is gone", async () => (await pods.find(podOf(order))) === null, 60_000);
      // Until then the backend watches through the proxy, which is closed at the end.
      await process?.exited;
      order = nextOf(order, randomUUID());
    }
    t.ok(failed.size >= 4, `failed after ${[...failed].join(", ")} calls`);
  });

  await t.test("what is missing is one message at start", async (t) => {
    const problems = async (change: Partial<Parameters<typeof assertKubernetes>[0]>) => {
      const error = await assertKubernetes({ ...options, ...change }).catch((cause: unknown) => cause);
      return error instanceof InvalidSettings ? error.message : "none";
    };
    t.equal(await problems({}), "none");
    t.match(
      await problems({ namespace: "nowhere" }),
      /ORCH_KUBERNETES_NAMESPACE: the namespace nowhere does not exist/,
    );
    t.match(
      await problems({ storageClass: "nowhere", runtimeClass: "nowhere" }),
      /ORCH_KUBERNETES_STORAGE_CLASS: .*\n.*ORCH_KUBERNETES_RUNTIME_CLASS: /,
    );
    t.match(await problems({ storageClass: null }), /no default storage class/);
    t.match(
      await problems({ access: { ...access, server: "http://127.0.0.1:9" } }),
      /KUBECONFIG: http.*does not answer/,
    );
    t.match(await problems({ access: { ...access, token: async () => "wrong" } }), /does not accept orchd's token/);
    const account = await serviceAccount();
    t.match(
      await problems({ access: { ...access, token: async () => account } }),
      /orchd may not create pods, .*patch secrets.* in the namespace .*grant it the role/,
    );
  });

  /** The token of a service account without rights. */
  async function serviceAccount(): Promise<string> {
    const path = `/api/v1/namespaces/${name}/serviceaccounts`;
    await api.call("POST", path, { body: { metadata: { name: "powerless" } } });
    const spec = { audiences: ["https://kubernetes.default.svc"], expirationSeconds: 600 };
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
    const granted = await api.call("POST", `${path}/powerless/token`, { body });
    return (granted as { readonly status: { readonly token: string } }).status.token;
  }

  for (const kind of ["pods", "persistentvolumeclaims"])
    await until(`no ${kind} are left`, async () => (await left(kind)).length === 0, 180_000);
});

t.test("a kubeconfig that is no use is one message", async (t) => {
  const problem = async (content: string) => {
    const path = `${t.testdir({ config: content })}/config`;
    const error = await findCluster(path, { host: null, port: "443" }).catch((cause: unknown) => cause);
    return error instanceof InvalidSettings ? error.message : "none";
  };
  t.match(await problem("a: ["), /KUBECONFIG: .*: it is no YAML/);
  t.match(await problem("{}"), /KUBECONFIG: .*: its current-context is missing/);
  const config = (user: object) =>
    JSON.stringify({
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "k", user: "u" } }],
      clusters: [{ name: "k", cluster: { server: "https://127.0.0.1:1" } }],
      users: [{ name: "u", user }],
    });
  t.equal(await problem(config({ token: "t" })), "none");
  t.match(await problem(config({ exec: { command: "aws" } })), /takes a program to log in/);
  t.match(await problem(config({ "client-key": "nowhere.pem" })), /nowhere.pem cannot be read/);
  const none = await findCluster(null, { host: null, port: "443" }).catch((cause: unknown) => cause);
  t.match(none, { message: /KUBECONFIG: expected the path of a kubeconfig file/ });
});
