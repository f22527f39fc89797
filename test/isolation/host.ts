import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { networkInterfaces } from "node:os";
import { join, resolve } from "node:path";
import type { Test } from "tap";
import { SYSTEM_CALLS } from "../../src/sandbox/system/system-call-numbers.ts";
import { byProcessor } from "../../src/sandbox/system/system-calls.ts";
import { type Answer, ask } from "../helpers/api.ts";
import { type Daemon, type DaemonSettings, freePort, startDaemon } from "../helpers/daemon.ts";
import { catalogArchive } from "../helpers/catalog-archive.ts";
import { brokerPid } from "../helpers/model-broker.ts";
import { openStream } from "../helpers/engine.ts";
import { freshFolder } from "../helpers/folder.ts";
import { claims, sparesReady } from "../helpers/spares.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";
import { ATTEMPTS, type AttemptFacts } from "./attempts.ts";

const WITHOUT_PROXY = {
  HTTP_PROXY: "",
  HTTPS_PROXY: "",
  ALL_PROXY: "",
  http_proxy: "",
  https_proxy: "",
  all_proxy: "",
};
/** Loopback too is reached by the proxy. */
const DIRECT = { NO_PROXY: "", no_proxy: "" };
const PYTHON = "/usr/bin/python3";
/** `nobody`. PostgreSQL needs a user with a name. */
export const ORDINARY_UID = 65_534;
/** For all attempts together, on a busy machine. */
const TURN_MS = 300_000;

export interface HostEngine {
  readonly id: string;
  readonly folder: string;
  readonly pid: number;
  readonly port: number;
  readonly url: string;
  call(path: string, body?: object): Promise<Answer>;
  /** Runs one tool with permission, and waits for the end of the turn. The result's output. */
  tool(name: string, input: object): Promise<unknown>;
  stop(): Promise<Answer>;
}

export interface AttackedHost {
  readonly alice: HostEngine;
  readonly bob: HostEngine;
  /** Kills the daemon and starts another, which adopts the engines. */
  killDaemon(): Promise<void>;
  /** Runs the attempts from a command of alice's engine, or from her tool server. What each printed, by name. */
  attempt(by: "command" | "server"): Promise<Readonly<Record<string, string>>>;
}

/** A daemon with the engines of alice, who attacks, and of bob; and what a host has for alice to find. */
export async function attackedHost(
  t: Test,
  {
    uid,
    isolation,
    spares = 0,
    dataDir = freshFolder(t, "isolation"),
    policy: morePolicy = {},
    env = {},
  }: {
    readonly uid?: number;
    readonly isolation: "require" | "off";
    readonly spares?: number;
    readonly dataDir?: string;
    readonly policy?: object;
    readonly env?: Readonly<Record<string, string>>;
  },
): Promise<AttackedHost> {
  if (uid !== undefined) chownSync(dataDir, uid, uid);
  const settings: DaemonSettings = {
    dataDir,
    // Another user cannot reach the socket of the tests' server.
    ...(uid === undefined && { databaseUrl: await freshDatabaseUrl(t) }),
    env: {
      ORCH_ISOLATION: isolation,
      LLM_PROVIDER: "sandbox",
      LLM_API_KEY: "provider-key-of-the-test",
      // The broker runs for this one.
      LLM_OPENAI_API_KEY: "openai-key-of-the-test",
      ORCH_WARM_ENGINES: String(spares),
      ...env,
    },
    ...(uid !== undefined && { uid }),
  };
  const daemon = await startDaemon(t, settings);
  let last = daemon;
  const removeEngines = (by: Daemon) => last === by && by.admin("/products/acme?force=true", { method: "DELETE" });
  t.teardown(() => removeEngines(daemon));
  await sparesReady(daemon, spares);
  const listenPort = await freePort();
  const unusedPort = await freePort();
  const policy = { tool_listen: [listenPort, unusedPort], ...morePolicy };
  const { body } = await daemon.admin("/products/register", { method: "POST", body: { slug: "acme", policy } });
  const key: string = body.platform_api_key;
  const archive = await catalogArchive({ "core-soul.md": "Be brief.", "secrets/key": "a key of the product" });
  const pushed = await daemon.platform(key, "/catalog", { method: "PUT", body: archive });
  if (pushed.status !== 200) throw new Error(pushed.text);
  const bob = await provision(daemon, key, "bob");
  writeFileSync(join(bob.folder, "workspace/diary"), "bob was here");
  const alice = await provision(daemon, key, "alice");
  if (spares > 0 && (await claims(daemon))["claimed"] !== 2) throw new Error("no engine was a spare");
  // Starts the thread that starts tools.
  const { output } = (await alice.tool("run_command", { command: 'echo "${HTTP_PROXY##*:}"' })) as { output: string };
  const ports = { PROXY_PORT: output.trim(), LISTEN_PORT: String(listenPort) };
  const facts = {
    ...(await hostFacts(t, { daemon, alice, bob })),
    ...ports,
    ...(await otherHosts(t, ports)),
    FREE_PORT: String(unusedPort),
  };
  const workspace = join(alice.folder, "workspace");
  const numbers = Object.entries(SYSTEM_CALLS).map(([name, both]) => [name, byProcessor<number | null>(both)]);
  // Without isolation a tool may ignore the proxy.
  const proxy = isolation === "off" ? WITHOUT_PROXY : {};
  const plan = {
    attempts: ATTEMPTS,
    facts: { ...facts, ...DIRECT, ...proxy } satisfies AttemptFacts,
    systemCalls: Object.fromEntries(numbers),
  };
  writeFileSync(join(workspace, "attempts.json"), JSON.stringify(plan));
  for (const program of ["run-attempts.py", "hostile-server.py"])
    copyFileSync(join(import.meta.dirname, program), join(workspace, program));
  await loadServers(alice, {
    hostile: { command: PYTHON, args: ["hostile-server.py"], permissions: { attempt: "allow" } },
  });
  return {
    alice,
    bob,
    async killDaemon() {
      await last.stop("SIGKILL");
      const next = await startDaemon(t, settings);
      last = next;
      // Before that daemon's own end.
      t.teardown(() => removeEngines(next));
    },
    async attempt(by) {
      if (by === "command") await alice.tool("run_command", { command: `${PYTHON} run-attempts.py`, timeout_s: 300 });
      else await alice.tool("mcp__hostile__attempt", {});
      return JSON.parse(readFileSync(join(workspace, "results.json"), "utf8"));
    },
  };
}

async function provision(daemon: Daemon, key: string, user: string): Promise<HostEngine> {
  const made = await daemon.platform(key, "/engines/provision", { method: "POST", body: { user_id: user } });
  if (made.status !== 201) throw new Error(made.text);
  const { body } = made;
  const headers = { "x-engine-key": body.engine_api_key };
  const url: string = body.url;
  const port = Number(new URL(url).port);
  const folder = join(daemon.dataDir, "engines", body.id);
  await until("the engine is loaded", () => existsSync(join(folder, "workspace")));
  return {
    id: body.id,
    folder,
    pid: body.pid,
    port,
    url,
    stop: () => daemon.platform(key, `/engines/${user}/stop`, { method: "POST", body: {} }),
    call: (path, body) => ask(url, path, { method: body === undefined ? "GET" : "POST", headers, body }),
    async tool(name, input) {
      const message = `/tool ${name} ${JSON.stringify(input)}`;
      const stream = await openStream(url, "/execute", {
        headers,
        body: { task_id: `${name}-${Date.now()}`, message },
      });
      const { event, data: request } = await until("a question or the end", () =>
        stream.frames.find((frame) => ["hitl_request", "tool_result"].includes(frame.event)),
      );
      if (event === "hitl_request") {
        const answer = { request_id: request.request_id, answer: "allow_once" };
        await ask(url, "/hitl/respond", { method: "POST", headers, body: answer });
      }
      const frames = await stream.all(TURN_MS);
      const { data } = frames.find(({ event }) => event === "tool_result") ?? { data: { error: frames.at(-1) } };
      if (data.error !== null) throw new Error(JSON.stringify(data.error));
      return data.output;
    },
  };
}

/** Puts tool servers into an engine's catalog and waits until they are connected. */
async function loadServers(engine: HostEngine, mcpServers: object): Promise<void> {
  const folder = join(engine.folder, "catalog");
  mkdirSync(folder, { recursive: true });
  const { uid, gid } = statSync(engine.folder);
  writeFileSync(join(folder, ".mcp.json"), JSON.stringify({ mcpServers }));
  for (const path of [folder, join(folder, ".mcp.json")]) chownSync(path, uid, gid);
  const { status, body } = await engine.call("/admin/reload-catalog", {});
  if (status !== 200) throw new Error(JSON.stringify(body));
  await until("the tool server is connected", async () => {
    const { servers } = (await engine.call("/assets/servers")).body;
    return servers.length > 0 && servers.every((server: { status: string }) => server.status === "ready");
  });
}

async function hostFacts(
  t: Test,
  { daemon, alice, bob }: { readonly daemon: Daemon; readonly alice: HostEngine; readonly bob: HostEngine },
): Promise<Omit<AttemptFacts, "PROXY_PORT" | "LISTEN_PORT" | "FREE_PORT" | "OTHER_HOST">> {
  const folder = freshFolder(t, "isolation-host");
  chmodSync(folder, 0o777);
  writeFileSync(join(folder, "file"), "a file of the host");
  chmodSync(join(folder, "file"), 0o666);
  const unixSocket = join(folder, "socket");
  const abstractSocket = `orchd-test-${process.pid}-${daemon.process.pid}`;
  const port = await webServer(t, "0.0.0.0");
  await listenOn(t, unixSocket);
  chmodSync(unixSocket, 0o777);
  await listenOn(t, `\0${abstractSocket}`);
  const udp = createSocket("udp4").bind(0, "127.0.0.1");
  t.teardown(() => udp.close());
  await once(udp, "listening");
  return {
    DATA: daemon.dataDir,
    OWN: alice.folder,
    BOB: bob.folder,
    CATALOG: catalogFolder(daemon),
    INSTALL: resolve(import.meta.dirname, "../.."),
    ENGINE_PID: String(alice.pid),
    ENGINE_THREADS: readdirSync(`/proc/${alice.pid}/task`).join(","),
    BOB_PID: String(bob.pid),
    DAEMON_PID: String(daemon.process.pid),
    DAEMON_PORT: new URL(daemon.url).port,
    BROKER_PID: String(await until("the broker runs", () => brokerPid(daemon.dataDir))),
    BROKER_PORT: readFileSync(join(daemon.dataDir, "broker", "port"), "utf8").trim(),
    ENGINE_PORT: String(alice.port),
    BOB_PORT: String(bob.port),
    TCP_PORT: port,
    TCP6_PORT: await webServer(t, "::1"),
    UDP_PORT: String(udp.address().port),
    UNIX_SOCKET: unixSocket,
    ABSTRACT_SOCKET: abstractSocket,
    HOST_FILE: join(folder, "file"),
    HOST_FOLDER: folder,
  };
}

/** Listens where only a rule of ports would let tools connect to. */
async function otherHosts(
  t: Test,
  ports: Pick<AttemptFacts, "PROXY_PORT" | "LISTEN_PORT">,
): Promise<Pick<AttemptFacts, "OTHER_HOST">> {
  const addresses = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  const own = addresses.find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "127.0.0.2";
  for (const host of [own, "::1"]) for (const port of Object.values(ports)) await webServer(t, host, Number(port));
  return { OTHER_HOST: own };
}

/** The one version of the one product. */
function catalogFolder({ dataDir }: Daemon): string {
  const catalogs = join(dataDir, "catalogs");
  const product = join(catalogs, readdirSync(catalogs).find((name) => name.startsWith("prd_")) ?? "");
  return join(product, readdirSync(product)[0] ?? "");
}

async function webServer(t: Test, host: string, at = 0): Promise<string> {
  const server = createServer((_request, response) => response.end("a local service")).listen(at, host);
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, "listening");
  return String((server.address() as AddressInfo).port);
}

async function listenOn(t: Test, path: string): Promise<void> {
  const server = createTcpServer((socket) => socket.end()).listen(path);
  t.teardown(() => server.close());
  await once(server, "listening");
}
