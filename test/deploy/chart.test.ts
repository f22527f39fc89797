import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import * as yaml from "yaml";
import manifest from "../../package.json" with { type: "json" };
import { PROVIDERS, SETTINGS } from "../../src/contract/settings/settings.ts";

interface Described {
  readonly properties?: Readonly<Record<string, Described>>;
}
interface KubernetesObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: { readonly name: string };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly rules?: readonly Readonly<Record<"apiGroups" | "resources" | "verbs", readonly string[]>>[];
}

const root = resolve(import.meta.dirname, "../..");
const chart = join(root, "deploy/helm/orchd");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const manifests = read("deploy/kubernetes/orchd.yaml");
const objects = parseAll(manifests);
/** An example that has all that is required. */
const NEEDED = ["--set", "database.existingSecret=orchd-database", "--set", "keys.existingSecret=orchd-keys"].concat([
  "--set",
  "broker.existingSecret=orchd-broker",
]);

const BROKER_RULE = {
  ports: [{ port: 7701, protocol: "TCP" }],
  to: [
    {
      podSelector: {
        matchLabels: {
          "app.kubernetes.io/name": "orchd",
          "app.kubernetes.io/instance": "orchd",
          "app.kubernetes.io/component": "broker",
        },
      },
    },
  ],
};
const NAMES_RULE = {
  ports: [
    { port: 53, protocol: "UDP" },
    { port: 53, protocol: "TCP" },
  ],
};

t.test("every value has a schema, and every schema a value", async (t) => {
  const values = yaml.parse(read("deploy/helm/orchd/values.yaml"));
  const { global: _, ...described } = JSON.parse(read("deploy/helm/orchd/values.schema.json")).properties;
  t.same(pathsOf(described).sort(), keysOf(values).sort());
});

t.test("the chart takes every provider", async (t) => {
  const { properties } = JSON.parse(read("deploy/helm/orchd/values.schema.json")).properties.model;
  t.same(properties.provider.enum, ["", ...PROVIDERS], "values.schema.json (actual) has PROVIDERS (expected)");
});

t.test("the chart is of this version of orchd, and so are the images of the manifests", async (t) => {
  t.match(yaml.parse(read("deploy/helm/orchd/Chart.yaml")), {
    version: manifest.version,
    appVersion: manifest.version,
  });
  t.match(manifests, `image: orchd:${manifest.version}`);
  t.match(manifests, `value: "orchd-engine:${manifest.version}"`);
});

t.test("the daemon's pods get settings that exist, and secrets by reference only", async (t) => {
  const { env } = containerOf(objects);
  const names = env.map(({ name }) => name);
  t.same(
    names.filter((name) => name !== "POD_IP" && !Object.hasOwn(SETTINGS, name)),
    [],
  );
  const secrets = Object.entries(SETTINGS).filter(([, row]) => "secret" in row && row.secret);
  t.same(
    env.filter(({ name, value }) => value !== undefined && secrets.some(([secret]) => secret === name)),
    [],
  );
});

t.test("a pod of the daemon fits the restricted Pod Security Standard", async (t) => {
  const deployment = objects.find(isDaemons);
  t.match(deployment?.spec, {
    template: { spec: { securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } } } },
  });
  t.match(containerOf(objects), {
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
  });
});

t.test("a pod of the broker has no account of the cluster, no database and no key but its own", async (t) => {
  const broker = objects.find(({ kind, metadata }) => kind === "Deployment" && metadata.name === "orchd-broker");
  t.match(broker?.spec, {
    template: {
      spec: {
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
        containers: [
          {
            env: [{ name: "POD_IP" }, { name: "ORCH_DAEMON_URL", value: "http://orchd.orchd.svc:7700" }],
            securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
          },
        ],
      },
    },
  });
  t.notMatch(JSON.stringify(broker), /orchd-keys|orchd-database/);
});

t.test("engines reach their broker and names, and no provider or other address", async (t) => {
  t.same(egressOf(objects), [BROKER_RULE, NAMES_RULE]);
  t.equal(engineEgressOf(objects), "broker");
});

t.test("the rights of the daemons are those of the documents, and no more", async (t) => {
  const blocks = [...read("docs/kubernetes.md").matchAll(/```yaml\n(.*?)```/gs)].flatMap(([, text = ""]) =>
    parseAll(text),
  );
  for (const kind of ["Role", "ClusterRole"]) {
    const rulesOf = (all: readonly KubernetesObject[]) => {
      const { rules = [] } = all.find((one) => one.kind === kind) ?? {};
      return rules.map((rule) => JSON.stringify([rule.apiGroups, rule.resources, rule.verbs])).sort();
    };
    t.same(rulesOf(objects), rulesOf(blocks), kind);
    t.ok(rulesOf(objects).length > 0, kind);
  }
});

const helm = process.env["HELM"] ?? "helm";
const skip = spawnSync(helm, ["version"]).status === 0 ? false : "no helm (HELM)";

t.test("with Helm", { skip }, async (t) => {
  await t.test("the chart has no faults", async (t) => {
    const { stdout } = await promisify(execFile)(helm, ["lint", "--strict", chart, ...NEEDED]);
    t.match(stdout, /0 chart\(s\) failed/);
  });

  await t.test("the manifests are those of the chart", async (t) => {
    const rendered = await render("--no-hooks", ...NEEDED);
    // An older Helm without a cluster takes that of its time.
    t.same(parseAll(rendered.replace("policy/v1beta1", "policy/v1")), objects);
  });

  await t.test("everything optional can be on", async (t) => {
    const options = ["autoscaling", "serviceMonitor", "ingress"].flatMap((name) => ["--set", `${name}.enabled=true`]);
    const all = ["ingress.host=agents.example.com", "engines.namespace=engines", "uninstall.deleteData=true"];
    const found = parseAll(await render(...NEEDED, ...options, ...all.flatMap((value) => ["--set", value])));
    const kinds = new Set(found.map(({ kind }) => kind));
    for (const kind of ["HorizontalPodAutoscaler", "ServiceMonitor", "Ingress", "Job"]) t.ok(kinds.has(kind), kind);
    t.notOk(Object.hasOwn(found.find(isDaemons)?.spec ?? {}, "replicas"));
  });

  await t.test("engines reach public addresses themselves where they are to, or have no broker", async (t) => {
    const direct = parseAll(await render(...NEEDED, "--set", "engines.egress=direct"));
    t.same(egressOf(direct).slice(0, 2), [BROKER_RULE, NAMES_RULE]);
    t.match(egressOf(direct)[2], { to: [{ ipBlock: { cidr: "0.0.0.0/0" } }, { ipBlock: { cidr: "::/0" } }] });
    const alone = parseAll(await render(...NEEDED, "--set", "broker.enabled=false"));
    t.same(egressOf(alone), [NAMES_RULE, egressOf(direct)[2]]);
    t.same([direct, alone].map(engineEgressOf), ["direct", "direct"]);
  });

  await t.test("volumes of the daemons are not the brokers'", async (t) => {
    const volumes = (name: string) => JSON.stringify([{ name, emptyDir: {} }]);
    const set = [`extraVolumes=${volumes("of-daemons")}`, `broker.extraVolumes=${volumes("of-brokers")}`];
    const found = parseAll(await render(...NEEDED, ...set.flatMap((value) => ["--set-json", value])));
    const deployments = found.filter(({ kind }) => kind === "Deployment").map((one) => JSON.stringify(one));
    t.same(
      ["of-daemons", "of-brokers"].map((name) => deployments.filter((text) => text.includes(name)).length),
      [1, 1],
    );
    t.notMatch(JSON.stringify(found.find(({ metadata }) => metadata.name === "orchd-broker")), /of-daemons/);
  });

  await t.test("a list of where engines may connect to replaces the default", async (t) => {
    const own = { ports: [{ port: 4318, protocol: "TCP" }] };
    const set = ["--set-json", `networkPolicy.engineEgress=${JSON.stringify([own])}`];
    t.same(egressOf(parseAll(await render(...NEEDED, ...set))), [BROKER_RULE, own]);
  });

  await t.test("keys are made, and a database is asked for", async (t) => {
    const found = parseAll(await render("--set", "database.url=postgres://orchd:secret@db/orchd"));
    const secrets = found.filter(({ kind }) => kind === "Secret");
    t.match(secrets, [
      { metadata: { name: "orchd-broker" }, data: { key: /^.{58,60}$/ } },
      { metadata: { name: "orchd-keys" }, data: { "admin-key": /^.{58,60}$/, "secret-key": /^.{58,60}$/ } },
      { metadata: { name: "orchd-database" }, stringData: { url: "postgres://orchd:secret@db/orchd" } },
    ]);
    t.match(await problemOf(), /database\.existingSecret or database\.url: expected the address of a Postgre/);
  });

  await t.test("a value that cannot be is named with its place", async (t) => {
    const wrong = {
      "database.url=mysql://db": /database\.url: Does not match/,
      "replicas=0": /replicas: Must be greater/,
      "engines.volumeSize=10GB": /engines\.volumeSize: Does not match/,
      "image.pulPolicy=Never": /image: Additional property pulPolicy/,
      "publicUrl=agents.example.com": /publicUrl: Does not match/,
      "engines.egress=none": /engines\.egress: .*must be one of/,
    };
    for (const [value, message] of Object.entries(wrong))
      t.match(await problemOf(...NEEDED, "--set", value), message, value);
  });
});

async function render(...args: string[]): Promise<string> {
  const command = ["template", "orchd", chart, "--namespace", "orchd", ...args];
  return (await promisify(execFile)(helm, command)).stdout;
}

async function problemOf(...args: string[]): Promise<string> {
  return render(...args).then(
    () => "none",
    (error: { readonly stderr: string }) => error.stderr,
  );
}

function parseAll(text: string): readonly KubernetesObject[] {
  return yaml.parseAllDocuments(text).flatMap((document) => {
    const object = document.toJS() as KubernetesObject | null;
    return object === null ? [] : [object];
  });
}

const isDaemons = ({ kind, metadata }: KubernetesObject): boolean => kind === "Deployment" && metadata.name === "orchd";

function containerOf(all: readonly KubernetesObject[]) {
  const deployment = all.find(isDaemons);
  const spec = deployment?.spec as
    | { template: { spec: { containers: { env: { name: string; value?: string }[] }[] } } }
    | undefined;
  const [container] = spec?.template.spec.containers ?? [];
  if (container === undefined) throw new Error("the Deployment has no container");
  return container;
}

/** Where the NetworkPolicy lets engines connect to. */
function egressOf(all: readonly KubernetesObject[]): readonly unknown[] {
  const policy = all.find(({ kind, metadata }) => kind === "NetworkPolicy" && metadata.name === "orchd-engines");
  return (policy?.spec?.["egress"] ?? []) as readonly unknown[];
}

const engineEgressOf = (all: readonly KubernetesObject[]): string | undefined =>
  containerOf(all).env.find(({ name }) => name === "ORCH_ENGINE_EGRESS")?.value;

/** The dotted names of values. A map that is the user's own, and so empty, is one value. */
function keysOf(value: Readonly<Record<string, unknown>>, prefix = ""): string[] {
  return Object.entries(value).flatMap(([key, inner]) =>
    isMap(inner) && Object.keys(inner).length > 0 && key !== "resources"
      ? keysOf(inner, `${prefix}${key}.`)
      : [`${prefix}${key}`],
  );
}

function pathsOf(described: Readonly<Record<string, Described>>, prefix = ""): string[] {
  return Object.entries(described).flatMap(([key, { properties }]) =>
    properties === undefined ? [`${prefix}${key}`] : pathsOf(properties, `${prefix}${key}.`),
  );
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
