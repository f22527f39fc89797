import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { Containers } from "../../src/orchestrator/fleet/docker/containers.ts";
import { DockerApi } from "../../src/orchestrator/fleet/docker/docker-api.ts";
import { chatText } from "../engine/model/two-providers.ts";
import { startUpstream, streams } from "../engine/model/upstream.ts";
import { agentFile } from "../engine/catalog/catalog-bench.ts";
import { freePort, launchDaemon, startDaemon } from "../helpers/daemon.ts";
import { catalogArchive } from "../helpers/catalog-archive.ts";
import { engineImage, findDocker } from "../helpers/docker.ts";
import { findInMemory } from "../helpers/search-memory.ts";
import { freshFolder } from "../helpers/folder.ts";
import { testAuthority } from "../helpers/secret-host.ts";
import { missingForToolImage, toolImage } from "../helpers/tool-image.ts";
import { addressForPods } from "../helpers/cluster-network.ts";
import { type FrontDoor, frontDoorCases } from "./front-door-cases.ts";
import { findsByMeaning } from "./knowledge-cases.ts";
import { protocolCases } from "./protocol-cases.ts";
import { searchAsTool, secretCases } from "./secret-cases.ts";
import { findsPassage, storeDocument } from "../helpers/product-documents.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";

const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);

t.setTimeout(600_000);
const docker = await findDocker();
const skip = "missing" in docker && docker.missing;
const noTools = missingForToolImage();

t.test("with ORCH_BACKEND=docker", { skip }, async (t) => {
  if ("missing" in docker) return;
  const { socketPath } = docker;
  const api = new DockerApi(socketPath);
  const image = await (noTools === null ? toolImage(socketPath) : engineImage(socketPath));
  t.teardown(() => api.call("DELETE", `/images/${image}`));
  const { Size: size } = (await api.call("GET", `/images/${image}/json`)) as { readonly Size: number };
  t.comment(`the image has ${Math.round(size / 1e6)} MB`);
  const [dataDir, databaseUrl] = [freshFolder(t), await freshDatabaseUrl(t)];
  const port = await freePort();
  const host = await addressForPods(socketPath);
  const authority = testAuthority(freshFolder(t));
  const env = {
    ORCH_BACKEND: "docker",
    NODE_EXTRA_CA_CERTS: authority.certificates,
    ORCH_DOCKER_IMAGE: image,
    DOCKER_HOST: `unix://${socketPath}`,
    LLM_PROVIDER: "sandbox",
    ORCH_PORT: String(port),
    ORCH_PUBLIC_URL: `http://127.0.0.1:${port}`,
    ORCH_HEALTH_INTERVAL_S: "1",
  };
  const settings = { dataDir, databaseUrl, env };
  let daemon = await startDaemon(t, settings);
  const { body: registered } = await daemon.admin("/products/register", { method: "POST", body: { slug: "demo" } });
  const key = registered.platform_api_key as string;
  const call = (path: string, body?: object) =>
    daemon.platform(key, path, body === undefined ? {} : { method: "POST", body });
  const restart = async () => {
    daemon = await startDaemon(t, settings);
    // Before the daemon ends.
    t.teardown(destroyAll);
  };
  const destroyAll = () => daemon.admin("/products/demo?force=true", { method: "DELETE" }).catch(() => undefined);
  t.teardown(destroyAll);
  const containers = new Containers(api, readFileSync(join(dataDir, "host-id"), "utf8").trim());
  const { status, body: provisioned } = await call("/engines/provision", { user_id: "ann" });
  if (status !== 201) throw new Error(JSON.stringify(provisioned));
  const { engine_api_key: engineKey, url } = provisioned as { engine_api_key: string; url: string };
  const ownUrl = `http://127.0.0.1:${provisioned.port}`;
  const turn = async (task: string, { base = url, message = "/say hello" } = {}) => {
    const answer = await fetch(`${base}/execute`, {
      method: "POST",
      headers: { "x-engine-key": engineKey, "content-type": "application/json" },
      body: JSON.stringify({ task_id: task, message }),
      signal: AbortSignal.timeout(30_000),
    });
    return { status: answer.status, text: await answer.text() };
  };

  await t.test("an engine runs in a container of its own", async (t) => {
    t.match(provisioned, { state: "running", pid: null });
    const found = await containers.list();
    t.equal(found.length, 1);
    const inspected = await api.call("GET", `/containers/${found[0]?.id}/json`);
    t.match(inspected, {
      Config: { User: /^(?!0:)\d+:\d+$/ },
      HostConfig: {
        ReadonlyRootfs: true,
        CapDrop: ["ALL"],
        SecurityOpt: ["no-new-privileges"],
        Memory: Number,
        Init: true,
      },
    });
    t.notMatch(JSON.stringify(inspected), new RegExp(engineKey));
  });

  await t.test("it runs turns", async (t) => {
    const { status, text } = await turn("first");
    t.equal(status, 200, text);
    t.match(text, /completed/);
  });

  await t.test("it searches the documents of its product, in the file that the daemon made", async (t) => {
    await storeDocument(daemon, key, "refunds.md", "# Refunds\n\nA refund takes 14 days.");
    const engine = { url, key: engineKey };
    t.equal(await findsPassage(engine, "refund", /14 days/), "refunds.md:3");
    await storeDocument(daemon, key, "refunds.md", "# Refunds\n\nA refund takes 30 days.");
    t.equal(await findsPassage(engine, "refund", /30 days/), "refunds.md:3");
    t.notOk(existsSync(join(dataDir, "engines", provisioned.id, "knowledge")), "no copy of its own");
  });

  await t.test("the host reports what confines it, and what does not", async (t) => {
    const { body } = await daemon.admin("/admin/status");
    const active = body.isolation.parts.filter((part: { active: boolean }) => part.active);
    t.same(
      active.map(({ name }: { name: string }) => name),
      ["engine", "user", "limits"],
    );
    t.same(body.orphans, []);
  });

  await t.test("its record has its usage", async (t) => {
    await until("a sample", async () => (await call("/engines/ann")).body.usage !== null, 30_000);
    t.ok((await call("/engines/ann")).body.usage.memory_mb > 10);
  });

  await t.test("SIGKILL of the daemon does not disturb it, and the next daemon adopts it", async (t) => {
    const { incarnation } = (await call("/engines/ann")).body;
    await daemon.stop("SIGKILL");
    t.equal((await turn("alone", { base: ownUrl })).status, 200);
    await restart();
    t.match(daemon.output(), /"adopted":1,/);
    t.match((await call("/engines/ann")).body, { state: "running", incarnation, restarts: { count: 0 } });
  });

  await t.test("it is restarted after a kill", async (t) => {
    const [running] = await containers.list();
    await api.call("POST", `/containers/${running?.id}/kill`, { query: { signal: "SIGKILL" } });
    t.equal((await turn("second")).status, 200, "a call waits for it at the gateway");
    t.match((await call("/engines/ann")).body, { state: "running", restarts: { count: 1 } });
    t.match((await call("/engines/ann")).body, { last_error: { phase: "run", signal: "SIGKILL", oom: false } });
  });

  await t.test("it sleeps without a container, and calls through the gateway wake it once", async (t) => {
    const putToSleep = () =>
      until("it sleeps", async () => {
        const { status, body } = await call("/engines/ann/sleep", {});
        if (status !== 200 && body.error.code !== "ENGINE_BUSY") throw new Error(JSON.stringify(body));
        return status === 200 && body;
      });
    t.match(await putToSleep(), { state: "sleeping", sleep: { reason: "request" } });
    t.notOk((await containers.list()).some(({ isRunning }) => isRunning));
    const turns = await Promise.all(["a", "b", "c", "d"].map((task) => turn(task)));
    t.same(new Set(turns.map(({ status }) => status)), new Set([200]));
    t.ok(turns.every(({ text }) => text.includes("completed")));
    const { body } = await call("/engines/ann/events");
    t.equal(body.data.filter(({ type }: { type: string }) => type === "engine.woke").length, 1);
    for (let round = 0; round < 3; round++) {
      const slept = call("/engines/ann/sleep", {});
      const calls = Array.from({ length: 6 }, (_, at) => turn(`hand-over-${round}-${at}`));
      t.same(new Set((await Promise.all(calls)).map(({ status }) => status)), new Set([200]), "while it falls asleep");
      await slept;
    }
    await putToSleep();
    await daemon.stop("SIGKILL");
    await restart();
    t.equal((await turn("next-daemon")).status, 200);
  });

  await t.test("a version of its product's catalog reaches it while it runs, and when it starts again", async (t) => {
    const push = async (name: string) =>
      daemon.platform(key, "/catalog", {
        method: "PUT",
        body: await catalogArchive({ [`agents/${name}.md`]: agentFile(name) }),
      });
    const agents = async () => {
      const answer = await fetch(`${url}/assets/catalog`, { headers: { "x-engine-key": engineKey } });
      const { agents } = (await answer.json()) as { readonly agents: readonly { readonly name: string }[] };
      return agents.map(({ name }) => name);
    };
    t.match((await push("clerk")).body, { version: 1, engines: { running: 1, reloaded: 1, failed: [] } });
    t.ok((await agents()).includes("clerk"));
    await call("/engines/ann/stop", {});
    t.match(await push("baker"), { status: 200, body: { version: 2 } });
    await call("/engines/ann/start", {});
    const now = await agents();
    t.ok(now.includes("baker"));
    t.notOk(now.includes("clerk"));
    t.match((await call("/engines/ann")).body.catalog, { version: 2, error: null });
  });

  await t.test("it calls its model through the broker of this machine, and holds no key of the provider", async (t) => {
    const upstream = await startUpstream(t, streams(chatText("an answer")));
    const providerKey = "sk-of-the-product-0123456789";
    const engineEnv = {
      LLM_PROVIDER: "openai-compatible",
      LLM_MODEL: "any",
      LLM_API_KEY: providerKey,
      LLM_BASE_URL: upstream.url,
    };
    const policy = { method: "PUT", body: { engine_env: engineEnv } };
    t.equal((await daemon.admin("/products/demo/policy", policy)).status, 200);
    t.equal((await call("/engines/ann/stop", {})).status, 200);
    t.equal((await call("/engines/ann/start", {})).status, 200);
    t.match((await turn("brokered")).text, "an answer");
    t.equal(upstream.received[0]?.headers["authorization"], `Bearer ${providerKey}`);
    const [running] = (await containers.list()).filter(({ isRunning }) => isRunning);
    const { State: state } = (await api.call("GET", `/containers/${running?.id}/json`)) as { State: { Pid: number } };
    const inside = [state.Pid, ...childrenOf(state.Pid)];
    t.ok(inside.length > 1, "the init process and the engine");
    for (const pid of inside) t.same(findInMemory(pid, [providerKey]), []);
    await daemon.admin("/products/demo/policy", {
      method: "PUT",
      body: { engine_env: Object.fromEntries(Object.keys(engineEnv).map((name) => [name, null])) },
    });
    await call("/engines/ann/stop", {});
    t.equal((await call("/engines/ann/start", {})).status, 200);
  });

  await t.test("it finds documents by their meaning", (t) =>
    findsByMeaning(t, {
      daemon: () => daemon,
      key,
      engine: { url, key: engineKey },
      platform: (method, path, body) => daemon.platform(key, path, { method, ...(body !== undefined && { body }) }),
    }),
  );

  await t.test("its log is read", async (t) => {
    const { status } = await call("/engines/ann/logs");
    t.equal(status, 200);
  });

  await t.test("it is stopped and started with its data", async (t) => {
    t.match((await call("/engines/ann/stop", {})).body, { state: "stopped" });
    t.same(await containers.list(), []);
    t.match((await call("/engines/ann/start", {})).body, { state: "running" });
    const tasks = await fetch(`${url}/tasks/first`, { headers: { "x-engine-key": engineKey } });
    t.not(tasks.status, 401);
  });

  await t.test("another backend is refused while it runs", async (t) => {
    await daemon.stop();
    const { process, output } = launchDaemon({
      ORCH_DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      ORCH_PORT: env.ORCH_PORT,
    });
    await once(process, "exit");
    t.match(output(), /ORCH_BACKEND: the backend docker runs 1 engines; stop them first/);
    await restart();
  });

  const place: FrontDoor = {
    base: env.ORCH_PUBLIC_URL,
    user: "ann",
    engine: { id: provisioned.id, key: engineKey },
    platform: (method, path, body) => daemon.platform(key, path, { method, ...(body !== undefined && { body }) }),
    setPolicy: (policy) => daemon.admin("/products/demo/policy", { method: "PUT", body: policy }),
  };
  await protocolCases(t, place);
  const { told, address } = await frontDoorCases(t, place);

  if (noTools === null) {
    const known = await secretCases(t, {
      ...place,
      issuer: env.ORCH_PUBLIC_URL,
      host,
      authority,
      privateHosts: [address],
      admin: (path) => daemon.admin(path),
      async push(files) {
        const pushed = await daemon.platform(key, "/catalog", { method: "PUT", body: await catalogArchive(files) });
        if (pushed.status !== 200) throw new Error(pushed.text);
      },
    });
    await t.test("attack: a tool that knows the secrets searches its container for them", async (t) => {
      await searchAsTool(t, known, provisioned.id);
    });
  }

  await t.test("a destroy tells what a killed engine had noted, and leaves no container", async (t) => {
    const [running] = await containers.list();
    t.equal((await turn("last")).status, 200);
    await api.call("POST", `/containers/${running?.id}/kill`, { query: { signal: "SIGKILL" } });
    t.equal((await daemon.platform(key, "/engines/ann", { method: "DELETE" })).status, 200);
    const { id } = provisioned as { id: string };
    t.same(await containers.list({ engine: id }), []);
    await until("its last turn is told", () => told.includes("last"));
    t.notMatch(daemon.output(), /failed to read the usage/);
  });
});

t.test("a Docker engine that cannot start engines is one message", { skip }, async (t) => {
  if ("missing" in docker) return;
  const start = async (env: Record<string, string>) => {
    const place = { ORCH_DATA_DIR: freshFolder(t), DATABASE_URL: await freshDatabaseUrl(t), ORCH_BACKEND: "docker" };
    const { process, output } = launchDaemon({ ...place, ORCH_PORT: String(await freePort()), ...env });
    await once(process, "exit");
    t.equal(process.exitCode, 1);
    return output();
  };
  const host = `unix://${docker.socketPath}`;
  t.match(
    await start({ DOCKER_HOST: host, ORCH_DOCKER_IMAGE: "orchd-nowhere", ORCH_DOCKER_RUNTIME: "kata" }),
    /ORCH_DOCKER_IMAGE: the image orchd-nowhere is not on.*\n.*ORCH_DOCKER_RUNTIME: expected a runtime/,
  );
  t.match(
    await start({ DOCKER_HOST: "unix:///nowhere/docker.sock" }),
    /DOCKER_HOST: no Docker engine answers at \/nowhere/,
  );
  t.match(await start({ DOCKER_HOST: "tcp://127.0.0.1:2375" }), /DOCKER_HOST: expected unix:\/\//);
});
