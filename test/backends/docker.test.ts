import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmodSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import t from "tap";
import type { EngineProcess, LaunchOrder } from "../../src/orchestrator/fleet/engine-backend.ts";
import { Containers } from "../../src/orchestrator/fleet/docker/containers.ts";
import { DockerApi } from "../../src/orchestrator/fleet/docker/docker-api.ts";
import { createDockerBackend } from "../../src/orchestrator/fleet/docker/docker-backend.ts";
import { compileCache } from "../helpers/compile-cache.ts";
import { FIXTURES, findDocker, fixtureImage } from "../helpers/docker.ts";
import { HOST, catalogFolders, fixture, freePort, knowledgeFiles } from "../helpers/fleet.ts";
import { temporaryFolder } from "../helpers/run.ts";
import { conformance } from "./conformance.ts";
import { CONTROL_TOKEN, PROVIDER_KEY } from "./under-test.ts";

t.setTimeout(600_000);
const docker = await findDocker();
const skip = "missing" in docker && docker.missing;

t.test("the Docker backend", { skip }, async (t) => {
  if ("missing" in docker) return;
  const { socketPath } = docker;
  const image = await fixtureImage(socketPath);
  const dataDir = temporaryFolder("docker");
  chmodSync(dataDir, 0o711);
  const settings = {
    image,
    entry: `${FIXTURES}/by-user.cjs`,
    runtime: null,
    deployment: `host_${randomUUID()}`,
    host: HOST,
    ports: { min: 20_000, max: 29_999 },
    extraCaCerts: null,
    socketPath,
    dataDir,
    nodePath: process.execPath,
    folderProgram: resolve(import.meta.dirname, "../../dist/orchd-folder.cjs"),
  };
  const options = { ...settings, catalogs: catalogFolders(dataDir), knowledge: knowledgeFiles(dataDir) };
  const api = new DockerApi(socketPath);
  const containers = new Containers(api, settings.deployment);
  const backend = createDockerBackend(options);
  const other = createDockerBackend({ ...options, deployment: `host_${randomUUID()}` });
  const hold = setInterval(() => undefined, 1000);
  t.teardown(() => clearInterval(hold));
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
  const idOf = ({ handle }: EngineProcess) => String(handle["id"]);
  const runningId = async ({ launch }: LaunchOrder) =>
    (await containers.list({ incarnation: launch.incarnation })).find(({ isRunning }) => isRunning)?.id;

  await conformance(t, {
    backend,
    laterDaemon: () => createDockerBackend(options),
    otherDeployment: () => other,
    brokenDaemon: () => createDockerBackend({ ...options, image: "orchd/nowhere:none" }),
    order: async (user = "does-as-told", more = {}) => ({
      memoryMb: 256,
      uid: null,
      cpuWeight: 100,
      owner: { product_id: "prd_acme", user_id: user },
      launch: {
        engine_id: `eng_${randomUUID()}`,
        incarnation: randomUUID(),
        product: "acme",
        user_id: user,
        port: await freePort(),
        keys: [],
        control_token: CONTROL_TOKEN,
        settings: { LLM_API_KEY: PROVIDER_KEY },
        tool_network: "open",
        tool_listen: [],
        limits: { max_processes: 256, memory_mb: 256, disk_mb: 2048 },
        ...more,
      },
    }),
    async launchAndDie(order) {
      const daemon = spawn(
        process.execPath,
        [fixture("docker-daemon-that-dies.ts"), JSON.stringify({ settings, order })],
        { env: compileCache, stdio: ["ignore", "pipe", "inherit"] },
      );
      const [line] = await once(createInterface({ input: daemon.stdout }), "line");
      daemon.kill("SIGKILL");
      return JSON.parse(line);
    },
    async running(order) {
      const id = await runningId(order);
      if (id === undefined) return 0;
      const { Processes: rows } = (await api.call("GET", `/containers/${id}/top`)) as { Processes: string[][] };
      return rows.filter((row) => !row.some((field) => field.includes("docker-init"))).length;
    },
    visible: async (process) => JSON.stringify(await api.call("GET", `/containers/${idOf(process)}/json`)),
    // They go through the standard input only.
    holdsSecrets: async () => false,
    async kill(process) {
      await api.call("POST", `/containers/${idOf(process)}/kill`, { query: { signal: "SIGKILL" } });
    },
    ofEarlierBoot: (handle) => ({ ...handle, bootId: randomUUID() }),
    limitsMemory: true,
    holdsSockets: false,
    takesHostPorts: true,
    reportsAtOnce: true,
    reportsUsage: true,
    readsStorage: true,
  });
  t.same(await containers.list(), [], "nothing is left");
});
