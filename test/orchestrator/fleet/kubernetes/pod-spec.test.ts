import t from "tap";
import { labelValue, objectName, selector } from "../../../../src/orchestrator/fleet/kubernetes/names.ts";
import { launchSecret, podName, podSpec } from "../../../../src/orchestrator/fleet/kubernetes/pod-spec.ts";
import { quantity } from "../../../../src/orchestrator/fleet/kubernetes/pod-usage.ts";

const LABEL = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const options = {
  image: "registry.example.com/orchd-engine:1",
  pullPolicy: "IfNotPresent" as const,
  runtimeClass: "gvisor",
  entry: "/opt/orchd/bin/orch-engine.cjs",
  folderProgram: "/opt/orchd/dist/orchd-folder.cjs",
  catalogProgram: "/opt/orchd/dist/orchd-unpack-catalog.cjs",
  deployment: "host_018f",
};
const WITHOUT_CATALOG = { claim: "the-claim", catalog: null };
const order = {
  memoryMb: 512,
  uid: null,
  cpuWeight: 250,
  owner: { product_id: "prd_acme", user_id: "Ann <ann@example.com>" },
  launch: {
    engine_id: "eng_018f",
    incarnation: "0000-1111",
    product: "acme",
    user_id: "Ann <ann@example.com>",
    port: 20_000,
    keys: [],
    control_token: "the-control-token",
    settings: { LLM_API_KEY: "the-provider-key" },
    tool_network: "open" as const,
    tool_listen: [],
    limits: { max_processes: 256, memory_mb: 512, disk_mb: 2048 },
  },
};

t.test("the pod of an engine is restricted, has its limits, and no secret", async (t) => {
  const spec = podSpec(order, options, WITHOUT_CATALOG);
  t.match(spec.spec, {
    restartPolicy: "Never",
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    runtimeClassName: "gvisor",
    securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    containers: [
      {
        args: ["--max-old-space-size=384", options.entry],
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        },
        resources: { requests: { cpu: "250m", memory: "128Mi" }, limits: { memory: "512Mi" } },
      },
    ],
    volumes: [{ persistentVolumeClaim: { claimName: "the-claim" } }, { emptyDir: {} }, { secret: {} }],
  });
  t.notMatch(JSON.stringify(spec), /the-control-token|the-provider-key/);
  for (const value of Object.values(spec.metadata.labels)) t.match(value, LABEL);
  t.notMatch(JSON.stringify(spec.metadata.labels) + spec.metadata.name, /ann/i, "its user is in an annotation only");
});

t.test("without a limit of the policy there is none, and without a runtime class the cluster's", async (t) => {
  const unlimited = {
    ...order,
    memoryMb: 0,
    launch: { ...order.launch, limits: { ...order.launch.limits, memory_mb: 0 } },
  };
  const { spec } = podSpec(unlimited, { ...options, runtimeClass: null }, WITHOUT_CATALOG);
  t.notHas(spec, { runtimeClassName: String });
  t.same(spec.containers[0]?.resources, { requests: { cpu: "250m", memory: "128Mi" } });
  t.same(spec.containers[0]?.args, [options.entry]);
});

t.test("a catalog is unpacked before the engine starts, which only reads it", async (t) => {
  const withCatalog = { ...order, catalog: { productId: "prd_1", version: 2, digest: "d" } };
  const { spec } = podSpec(withCatalog, options, {
    claim: "the-claim",
    catalog: { digest: "d", parts: ["one", "two"] },
  });
  const [unpack, ...others] = spec.initContainers;
  t.same(others, []);
  t.same(JSON.parse(unpack?.args[1] ?? ""), {
    parts: ["/run/orchd-catalog/0", "/run/orchd-catalog/1"],
    target: "/catalogs/d",
    digest: "d",
  });
  const [engine] = spec.containers;
  for (const field of ["image", "securityContext", "resources"] as const)
    t.same(unpack?.[field], engine?.[field], field);
  t.match(engine?.volumeMounts.at(-1), { name: "catalogs", mountPath: "/catalogs", readOnly: true });
  t.match(spec.volumes.at(-1), {
    projected: {
      sources: [
        { secret: { name: "one", items: [{ path: "0" }] } },
        { secret: { name: "two", items: [{ path: "1" }] } },
      ],
    },
  });
  const secret = launchSecret(withCatalog, { ...options, certificates: null }, { name: "the-pod", uid: "the-uid" });
  t.match(JSON.parse(secret.stringData["launch.json"] ?? "").product_catalog, {
    folder: "/catalogs",
    version: 2,
    digest: "d",
  });
  t.same(podSpec(order, options, WITHOUT_CATALOG).spec.initContainers, []);
});

t.test("the launch file is a secret of the pod, and ends with it", async (t) => {
  const pod = { name: "the-pod", uid: "the-uid" };
  const secret = launchSecret(order, { ...options, certificates: "PEM" }, pod);
  t.match(secret.metadata, { name: "the-pod", ownerReferences: [{ kind: "Pod", uid: "the-uid" }] });
  t.match(JSON.parse(secret.stringData["launch.json"] ?? ""), {
    control_token: "the-control-token",
    port: 8080,
    data_dir: "/data",
    extra_ca_certs: "/run/orchd/ca-certificates.pem",
  });
});

t.test("names and labels are valid whatever they are made of", async (t) => {
  const strange = ["", "_x", "x_", "ä", "a".repeat(64), "a b", "eng_018f"];
  for (const text of strange) {
    t.match(labelValue(text), LABEL);
    t.ok(labelValue(text).length <= 63 && labelValue(text) !== "");
    t.match(podName(text, text), /^[a-z0-9-]{1,63}$/);
  }
  t.not(objectName("d", "a", "b"), objectName("d", "ab"));
  t.equal(selector({ "orchd.engine": null, "orchd.user": "u" }), "!orchd.engine,orchd.user=u");
});

t.test("quantities of metrics are read", async (t) => {
  t.same(["250m", "1500000n", "64Mi", "2"].map(quantity), [0.25, 0.0015, 64 * 2 ** 20, 2]);
  t.ok(Number.isNaN(quantity("much")));
});
