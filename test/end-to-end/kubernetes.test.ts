import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { DockerApi } from "../../src/orchestrator/fleet/docker/docker-api.ts";
import { Pods } from "../../src/orchestrator/fleet/kubernetes/pods.ts";
import { orchctlOf, settingsOf } from "../helpers/backup.ts";
import { agentFile, skillFile } from "../engine/catalog/catalog-bench.ts";
import { type CatalogFiles, catalogArchive } from "../helpers/catalog-archive.ts";
import { freePort, launchDaemon, startDaemon } from "../helpers/daemon.ts";
import { engineImage } from "../helpers/docker.ts";
import { freshFolder } from "../helpers/folder.ts";
import { findKubernetes, testNamespace } from "../helpers/kubernetes.ts";
import { type FrontDoor, frontDoorCases } from "./front-door-cases.ts";
import { protocolCases } from "./protocol-cases.ts";
import { findsPassage, storeDocument } from "../helpers/product-documents.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";

t.setTimeout(900_000);
const cluster = await findKubernetes();
const skip = "missing" in cluster && cluster.missing;

t.test("with ORCH_BACKEND=kubernetes", { skip }, async (t) => {
  if ("missing" in cluster) return;
  const namespace = await testNamespace(t, cluster);
  const docker = new DockerApi(cluster.socketPath);
  const image = await engineImage(cluster.socketPath);
  t.teardown(() => docker.call("DELETE", `/images/${image}`, { query: { force: "true" } }));
  const [dataDir, databaseUrl] = [freshFolder(t), await freshDatabaseUrl(t)];
  const port = await freePort();
  const env = {
    ORCH_BACKEND: "kubernetes",
    ORCH_KUBERNETES_NAMESPACE: namespace.name,
    ORCH_KUBERNETES_STORAGE_CLASS: namespace.storageClass,
    ORCH_KUBERNETES_IMAGE: image,
    ORCH_KUBERNETES_PULL_POLICY: "Never",
    KUBECONFIG: process.env["KUBECONFIG"] ?? "",
    LLM_PROVIDER: "sandbox",
    ORCH_PORT: String(port),
    ORCH_PUBLIC_URL: `http://127.0.0.1:${port}`,
  };
  const settings = { dataDir, databaseUrl, env };
  let daemon = await startDaemon(t, settings);
  const { body: registered } = await daemon.admin("/products/register", {
    method: "POST",
    body: { slug: "demo", policy: { requests_per_minute: 10_000 } },
  });
  const key = registered.platform_api_key as string;
  const call = (path: string, body?: object) =>
    daemon.platform(key, path, body === undefined ? {} : { method: "POST", body });
  const destroyAll = () => daemon.admin("/products/demo?force=true", { method: "DELETE" }).catch(() => undefined);
  t.teardown(destroyAll);
  const restart = async () => {
    daemon = await startDaemon(t, settings);
    // Before the daemon ends.
    t.teardown(destroyAll);
  };
  const pods = new Pods(namespace.api, {
    namespace: namespace.name,
    deployment: readFileSync(join(dataDir, "host-id"), "utf8").trim(),
  });
  const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const begin = performance.now();
    const done = await work();
    t.comment(`${what}: ${Math.round(performance.now() - begin)} ms`);
    return done;
  };
  const { status, body: provisioned } = await timed("provision", () => call("/engines/provision", { user_id: "ann" }));
  if (status !== 201) throw new Error(JSON.stringify(provisioned));
  const { url } = provisioned as { readonly url: string };
  let engineKey = (provisioned as { readonly engine_api_key: string }).engine_api_key;
  const replay = async (task: string) => {
    const answer = await fetch(`${url}/execute/replay?task_id=${task}`, { headers: { "x-engine-key": engineKey } });
    return answer.status === 200 ? await answer.text() : "";
  };
  const turn = async (task: string, { base = url, message = "/say hello" } = {}) => {
    const answer = await fetch(`${base}/execute`, {
      method: "POST",
      headers: { "x-engine-key": engineKey, "content-type": "application/json" },
      body: JSON.stringify({ task_id: task, message }),
      signal: AbortSignal.timeout(60_000),
    });
    return { status: answer.status, text: await answer.text() };
  };

  await t.test("an engine runs in a pod of its own, and is called through the daemon", async (t) => {
    const address = { port: null, url: `http://127.0.0.1:${port}/e/${provisioned.id}` };
    t.match(provisioned, { state: "running", pid: null, ...address });
    t.match((await daemon.admin("/admin/status")).body, { ports: null, warnings: [] }, "no port is taken or missing");
    const [pod, ...others] = await pods.list();
    t.same(others, []);
    const shown = JSON.stringify(await namespace.api.call("GET", `${pods.path}/${pod?.metadata.name}`));
    t.notMatch(shown, new RegExp(engineKey));
    const { status, text } = await turn("first", { message: "/stream 50 1000" });
    t.equal(status, 200, text);
    t.match(text, /completed/);
  });

  await t.test("it searches the documents of its product, in the file that the daemon sends", async (t) => {
    await storeDocument(daemon, key, "refunds.md", "# Refunds\n\nA refund takes 14 days.");
    const engine = { url, key: engineKey };
    t.equal(await findsPassage(engine, "refund", /14 days/, 60_000), "refunds.md:3");
    await storeDocument(daemon, key, "refunds.md", "# Refunds\n\nA refund takes 30 days.");
    t.equal(await findsPassage(engine, "refund", /30 days/, 60_000), "refunds.md:3");
  });

  const push = async (files: CatalogFiles) =>
    daemon.platform(key, "/catalog", { method: "PUT", body: await catalogArchive(files) });
  const agents = async (): Promise<readonly string[]> => {
    const answer = await fetch(`${url}/assets/catalog`, { headers: { "x-engine-key": engineKey } });
    return ((await answer.json()) as { agents: readonly { name: string }[] }).agents.map(({ name }) => name);
  };
  const usesVersion = (version: number) =>
    until(
      `version ${version} is used`,
      async () => (await call("/engines/ann")).body.catalog?.version === version,
      60_000,
    );
  const ours = async (kind: string) => (await namespace.left(kind)).filter((name) => name.startsWith("orchd-"));

  await t.test("a push restarts an engine without work, with the product's catalog", async (t) => {
    t.match(await push({ "agents/clerk.md": "no front matter" }), {
      status: 422,
      body: { error: { code: "CATALOG_INVALID" } },
    });
    const { incarnation } = (await call("/engines/ann")).body;
    // Larger than one secret.
    const files = { "agents/clerk.md": agentFile("clerk"), "skills/tables/SKILL.md": skillFile("tables") };
    const pushed = await timed("push", () => push({ ...files, "skills/tables/rows.bin": randomBytes(2_000_000) }));
    t.match(pushed, { status: 200, body: { version: 1, engines: { running: 1 } } });
    await usesVersion(1);
    t.not((await call("/engines/ann")).body.incarnation, incarnation);
    t.ok((await agents()).includes("clerk"));
    t.match(await replay("first"), /completed/);
    t.equal((await ours("configmaps")).length, 1);
    t.equal((await ours("secrets")).length, 3 + 1, "three parts and the launch file");
  });

  await t.test("a push during a turn waits for its end", async (t) => {
    const talk = turn("talk", { message: "/stream 200 40" });
    await until("the turn runs", async () => (await replay("talk")).includes("text"));
    const { body } = await push({ "agents/porter.md": agentFile("porter") });
    t.match(body, {
      version: 2,
      engines: { running: 1, reloaded: 0, failed: [{ reason: /after its work \(.*turn/ }] },
    });
    t.match((await talk).text, /completed/);
    await usesVersion(2);
    t.notOk((await agents()).includes("clerk"));
    t.ok((await agents()).includes("porter"));
    t.match((await call("/engines/ann")).body, { catalog: { error: null }, restarts: { count: 0 } });
  });

  await t.test("its key is replaced while it runs", async (t) => {
    const { status, body } = await call("/engines/ann/rotate-key", { grace_s: 0 });
    t.equal(status, 200, JSON.stringify(body));
    engineKey = body.engine_api_key;
    t.equal((await turn("rotated")).status, 200);
  });

  await t.test("it sleeps without a pod, and a call wakes it with its data", async (t) => {
    await until("it sleeps", async () => (await call("/engines/ann/sleep", {})).status === 200, 60_000);
    await until("its pod is gone", async () => (await pods.list()).length === 0, 60_000);
    t.equal((await namespace.left("persistentvolumeclaims")).length, 1);
    const { status, body } = await call("/catalog/rollback", { version: 1 });
    t.match({ status, body }, { status: 200, body: { version: 3, engines: { running: 0 } } });
    t.equal((await timed("turn that wakes", () => turn("woken"))).status, 200);
    t.ok((await agents()).includes("clerk"), "with the version that it was rolled back to");
    t.match(await replay("first"), /completed/);
  });

  await t.test("SIGKILL of the daemon cuts no turn, and the next daemon adopts the engine", async (t) => {
    const { incarnation } = (await call("/engines/ann")).body;
    const cut = turn("long", { message: "/stream 400 40" }).catch(() => null);
    await until("the turn runs", async () => (await replay("long")).includes("text"));
    await daemon.stop("SIGKILL");
    await cut;
    await timed("next daemon ready", restart);
    t.match(daemon.output(), /"adopted":1,/);
    t.match((await call("/engines/ann")).body, { state: "running", incarnation, restarts: { count: 0 } });
    await until("the turn has ended well", async () => (await replay("long")).includes("completed"));
  });

  await t.test("it is restarted after a crash, which counts", async (t) => {
    const [pod] = await pods.list();
    const id = pod?.status.containerStatuses[0]?.containerID?.replace("docker://", "");
    await docker.call("POST", `/containers/${id}/kill`, { query: { signal: "SIGKILL" } });
    await until("the exit is seen", async () => (await call("/engines/ann")).body.restarts.count === 1, 60_000);
    t.equal((await turn("after-crash")).status, 200, "a call waits for it at the gateway");
    t.match((await call("/engines/ann")).body, { last_error: { phase: "run", signal: "SIGKILL", oom: false } });
  });

  await t.test("it is restarted after an eviction, which does not count", async (t) => {
    const { incarnation } = (await call("/engines/ann")).body;
    const [pod] = await pods.list();
    const name = pod?.metadata.name;
    const body = { apiVersion: "policy/v1beta1", kind: "Eviction", metadata: { name, namespace: namespace.name } };
    await namespace.api.call("POST", `${pods.path}/${name}/eviction`, { body });
    await until(
      "its next incarnation runs",
      async () => {
        const { body: now } = await call("/engines/ann");
        return now.state === "running" && now.incarnation !== incarnation;
      },
      120_000,
    );
    t.match((await call("/engines/ann")).body, { restarts: { count: 1 } });
    const { body: events } = await call("/engines/ann/events");
    t.ok(events.data.some(({ reason }: { reason: string }) => /its pod was deleted or evicted/.test(reason)));
  });

  await t.test("its log is read", async (t) => {
    t.equal((await call("/engines/ann/logs")).status, 200);
  });

  await t.test("a backup has its files, while it runs and while it is stopped", async (t) => {
    const orchctl = orchctlOf(t, settingsOf(daemon));
    for (const state of ["running", "stopped"]) {
      if (state === "stopped") t.equal((await call("/engines/ann/stop", {})).status, 200);
      const { stdout } = await timed(`backup, ${state}`, () => orchctl("--json", "backup", "create"));
      const run = JSON.parse(stdout);
      t.match(run, { outcome: "created", engines: { done: 1, total: 1 }, incomplete: [] });
      const members = execFileSync("tar", ["-tzf", join(run.dir, run.name)], { encoding: "utf8" });
      t.match(members, new RegExp(`engines/${provisioned.id}/.*engine\\.db`), state);
    }
    await until("no reader is left", async () =>
      (await pods.select()).every(({ metadata }) => metadata.labels["orchd.reader"] === undefined),
    );
  });

  t.equal((await call("/engines/ann/start", {})).status, 200);
  const place: FrontDoor = {
    base: env.ORCH_PUBLIC_URL,
    user: "ann",
    engine: { id: provisioned.id, key: engineKey },
    platform: (method, path, body) => daemon.platform(key, path, { method, ...(body !== undefined && { body }) }),
    setPolicy: (policy) => daemon.admin("/products/demo/policy", { method: "PUT", body: policy }),
  };
  await protocolCases(t, place);
  const { told } = await frontDoorCases(t, place);

  await t.test("a destroy tells what a killed engine had noted, and leaves nothing", async (t) => {
    const [pod] = await pods.list();
    const id = pod?.status.containerStatuses[0]?.containerID?.replace("docker://", "");
    t.equal((await turn("last")).status, 200);
    await docker.call("POST", `/containers/${id}/kill`, { query: { signal: "SIGKILL" } });
    t.equal((await daemon.platform(key, "/engines/ann", { method: "DELETE" })).status, 200);
    await until("its last turn is told", () => told.includes("last"));
    t.notMatch(daemon.output(), /failed to read the usage/);
    for (const kind of ["pods", "persistentvolumeclaims"])
      await until(`no ${kind} are left`, async () => (await namespace.left(kind)).length === 0, 60_000);
    t.equal((await daemon.admin("/products/demo", { method: "DELETE" })).status, 200);
    for (const kind of ["configmaps", "secrets"])
      await until(`no ${kind} of ours are left`, async () => (await ours(kind)).length === 0, 60_000);
  });
});

t.test("a cluster that cannot be used is one message", async (t) => {
  const { process: orchd, output } = launchDaemon({
    ORCH_DATA_DIR: freshFolder(t),
    ORCH_BACKEND: "kubernetes",
    ORCH_KUBERNETES_NAMESPACE: "Not A Name",
    ORCH_KUBERNETES_VOLUME_SIZE: "much",
    ORCH_ENGINE_EGRESS: "broker",
    ORCH_PORT: String(await freePort()),
  });
  await once(orchd, "exit");
  t.match(output(), /ORCH_KUBERNETES_NAMESPACE: expected the name of a namespace, got "Not A Name"/);
  t.match(output(), /ORCH_KUBERNETES_VOLUME_SIZE: expected a size such as 10Gi/);
  t.match(output(), /ORCH_ENGINE_EGRESS: expected ORCH_BROKER_URL/);
  t.match(output(), /ORCH_PUBLIC_URL: expected the daemon's address .* \(ORCH_BACKEND=kubernetes\)/);
});
