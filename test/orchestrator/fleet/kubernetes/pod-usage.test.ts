import t from "tap";
import { KubeApi } from "../../../../src/orchestrator/fleet/kubernetes/kube-api.ts";
import { PodUsage } from "../../../../src/orchestrator/fleet/kubernetes/pod-usage.ts";
import { listen } from "../../../../src/shared/http/http-server.ts";

t.test("the usage of pods is read from metrics.k8s.io, and CPU time grows with each reading", async (t) => {
  let pods: readonly object[] | null = null;
  let asked = "";
  const metrics = await listen(
    (request, response) => {
      asked = request.url ?? "";
      const body = pods === null ? { reason: "NotFound", message: "no metrics" } : { metadata: {}, items: pods };
      response.writeHead(pods === null ? 404 : 200).end(JSON.stringify(body));
    },
    "127.0.0.1",
    0,
  );
  t.teardown(() => metrics.close(0));
  const access = { server: `http://127.0.0.1:${metrics.port}`, namespace: null, tls: {}, token: async () => null };
  const usage = new PodUsage(new KubeApi(access), { namespace: "agents", labelSelector: "orchd.deployment=d" });
  t.same(await usage.read(0), new Map(), "none in a cluster without it");
  const pod = (name: string, cpu: string) => ({
    metadata: { name },
    containers: [
      { name: "sidecar", usage: { cpu: "9", memory: "9Gi" } },
      { name: "engine", usage: { cpu, memory: "64Mi" } },
    ],
  });
  pods = [pod("one", "250m")];
  t.same(await usage.read(10_000), new Map(), "it is not asked again within 15 s");
  t.same([...(await usage.read(15_000))], [["one", { cpuMs: 0, memoryBytes: 64 * 2 ** 20 }]]);
  t.match(asked, /^\/apis\/metrics\.k8s\.io\/v1beta1\/namespaces\/agents\/pods\?labelSelector=orchd/);
  pods = [pod("one", "500m"), pod("two", "1")];
  t.same(
    (await usage.read(17_000)).get("one")?.cpuMs,
    500,
    "between two answers, CPU time grows at the rate of the last",
  );
  const now = await usage.read(30_000);
  t.same([now.get("one")?.cpuMs, now.get("two")?.cpuMs], [7000, 0]);
});
