import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readlinkSync } from "node:fs";
import { request } from "node:http";
import { type Socket, connect } from "node:net";
import t, { type Test } from "tap";
import type { EngineProcess } from "../../../../src/orchestrator/fleet/engine-backend.ts";
import { EngineSockets } from "../../../../src/orchestrator/fleet/sockets/engine-sockets.ts";
import { listen } from "../../../../src/shared/http/http-server.ts";
import { nativeProblem } from "../../../../src/sandbox/system/system-calls.ts";
import { ask } from "../../../helpers/api.ts";
import {
  attached,
  HOST,
  NOT_HELD,
  daemonThatDies,
  freePort,
  healthy,
  silent,
  testFleet,
  urlOf,
  pidOf,
} from "../../../helpers/fleet.ts";
import { until } from "../../../helpers/until.ts";

const native = { skip: nativeProblem() ?? false };
/** Other tests use other addresses of the loopback network. */
const OWN_HOST = "127.0.0.77";
const TAKEN = { message: /^port \d+ is taken by another program$/ };

function ownSockets(t: Test, host = OWN_HOST): EngineSockets {
  const sockets = new EngineSockets({ host, logger: silent });
  // Sockets that are only held do not keep the process running.
  const running = setInterval(() => undefined, 1000);
  t.teardown(() => {
    sockets.close();
    clearInterval(running);
  });
  return sockets;
}

async function connected(t: Test, port: number, host = OWN_HOST): Promise<Socket> {
  const socket = connect(port, host);
  t.teardown(() => socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** The error's code, or the status of the answer. */
function callOnNewConnection(port: number, host: string, body?: Buffer): Promise<string | number> {
  return new Promise((resolve) => {
    const call = request({ host, port, path: "/health", agent: false, method: body === undefined ? "GET" : "POST" });
    call.once("response", (response) => {
      response.resume().once("error", () => undefined);
      resolve(response.statusCode ?? 0);
    });
    call.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    call.on("error", () => undefined);
    call.end(body);
  });
}

t.test("no call is refused while an engine is killed and restarted again and again", native, async (t) => {
  const { backend, order } = testFleet(t, "well-behaved");
  const first = await order();
  const outcomes: (string | number)[] = [];
  const over = new AbortController();
  const hammer = async () => {
    while (!over.signal.aborted) outcomes.push(await callOnNewConnection(first.launch.port, HOST));
  };
  let engine: EngineProcess = await backend.launch(first);
  const clients = Array.from({ length: 8 }, hammer);
  for (let round = 0; round < 10; round++) {
    await healthy(first, engine);
    const served = outcomes.length;
    await until("calls are served", () => outcomes.length > served + 20);
    process.kill(pidOf(engine), "SIGKILL");
    await engine.exited;
    engine = await backend.launch(first);
  }
  await healthy(first, engine);
  over.abort();
  await Promise.all(clients);
  const lost = outcomes.filter((outcome) => outcome !== 200);
  t.same(new Set(lost.filter((outcome) => outcome !== "ECONNRESET")), new Set(), "a killed process resets its calls");
  t.ok(lost.length <= 10 * clients.length, `${lost.length} of ${outcomes.length} were in flight on a killed process`);
  await engine.stop(5000);
});

t.test("a port that another program listens on is PortTaken, on every address of it", native, async (t) => {
  for (const [taken, wanted] of [
    [OWN_HOST, OWN_HOST],
    ["0.0.0.0", OWN_HOST],
    [OWN_HOST, "0.0.0.0"],
    ["::1", "::"],
  ] as const) {
    const sockets = ownSockets(t, wanted);
    const thief = await listen(() => undefined, taken, 0);
    t.throws(() => sockets.hold("eng", thief.port), TAKEN, `${taken} against ${wanted}`);
    t.notOk(sockets.isHeld("eng"));
    await thief.close(0);
    t.type(sockets.hold("eng", thief.port), "number");
  }
});

t.test("wildcards and IPv6 addresses are held as Node.js listens on them", native, async (t) => {
  const reached = { "0.0.0.0": OWN_HOST, "::": OWN_HOST, "::1": "::1", "::ffff:127.0.0.77": OWN_HOST };
  for (const [host, from] of Object.entries(reached)) {
    const port = await freePort();
    ownSockets(t, host).hold("eng", port);
    await connected(t, port, from);
    t.pass(`${host} is reached at ${from}`);
  }
});

t.test("a name, and an address with a zone, are not held", async (t) => {
  for (const host of ["localhost", NOT_HELD, "fe80::1%lo"]) {
    const sockets = ownSockets(t, host);
    t.equal(sockets.hold("eng", await freePort()), null, host);
    t.notOk(sockets.take("eng", 1, process.pid));
    sockets.release("eng");
  }
});

t.test("hold returns the socket of the same port, and releases that of another port", native, async (t) => {
  const sockets = ownSockets(t);
  const [port, other] = [await freePort(), await freePort()];
  const descriptor = sockets.hold("eng", port);
  t.equal(sockets.hold("eng", port), descriptor);
  sockets.hold("eng", other);
  t.equal(await callOnNewConnection(port, OWN_HOST), "ECONNREFUSED");
  await connected(t, other);
});

const python = { skip: native.skip || (existsSync("/usr/bin/python3") ? false : "needs python3") };
t.test("a socket whose listening a process has ended is made again", python, async (t) => {
  const sockets = ownSockets(t);
  const port = await freePort();
  const descriptor = sockets.hold("eng", port);
  const shutDown = "import socket; socket.socket(fileno=3).shutdown(socket.SHUT_RD)";
  spawnSync("/usr/bin/python3", ["-c", shutDown], { stdio: ["ignore", "inherit", "inherit", descriptor] });
  t.equal(await callOnNewConnection(port, OWN_HOST), "ECONNREFUSED");
  sockets.hold("eng", port);
  await connected(t, port);
});

t.test("calls beyond the queue wait too", native, async (t) => {
  const { backend, order } = testFleet(t, "well-behaved");
  const given = await order();
  backend.sockets.hold(given.launch.engine_id, given.launch.port);
  const calls = Array.from({ length: 600 }, () => callOnNewConnection(given.launch.port, HOST));
  await new Promise<void>((resolve) => backend.sockets.awaitCall(given.launch.engine_id, resolve));
  const engine = await backend.launch(given);
  t.same(new Set(await Promise.all(calls)), new Set([200]));
  await engine.stop(5000);
});

t.test("after a release calls are refused, those that wait are reset, and the port is free", native, async (t) => {
  const sockets = ownSockets(t);
  const port = await freePort();
  sockets.hold("eng", port);
  const waiting = callOnNewConnection(port, OWN_HOST);
  await new Promise<void>((resolve) => sockets.awaitCall("eng", resolve));
  sockets.release("eng");
  t.equal(await waiting, "ECONNRESET");
  t.equal(await callOnNewConnection(port, OWN_HOST), "ECONNREFUSED");
  await (await listen(() => undefined, OWN_HOST, port)).close(0);
});

t.test("a later daemon takes the socket of an adopted engine and keeps it through a crash", native, async (t) => {
  const fleet = testFleet(t, "well-behaved");
  const order = await fleet.order();
  const { daemon, handle } = await daemonThatDies(fleet, order);
  daemon.kill("SIGKILL");
  await once(daemon, "exit");
  const { sockets } = fleet.backend;
  const { engine_id: id, port } = order.launch;
  const engine = await attached(fleet.backend, order, handle);
  const other = ownSockets(t, HOST);
  t.notOk(other.take(id, port + 1, pidOf({ handle })), "its port differs");
  t.notOk(other.take(id, port, process.pid), "descriptor 3 of this process is another");
  t.notOk(sockets.isHeld(id));
  await engine.settle();
  const taken = sockets.isHeld(id);
  await engine.stop(0);
  t.equal(sockets.isHeld(id), taken);
  if (!taken) {
    t.comment("this host lets no process copy descriptors (kernel.yama.ptrace_scope)");
    return;
  }
  const waiting = callOnNewConnection(port, HOST);
  const next = await fleet.backend.launch({ ...order, launch: { ...order.launch, incarnation: "next" } });
  t.equal(await waiting, 200);
  await next.stop(5000);
});

t.test("a call is reported once, without being accepted, also when its client leaves", native, async (t) => {
  const sockets = ownSockets(t);
  const port = await freePort();
  sockets.hold("eng", port);
  let calls = 0;
  const awaitCall = () => sockets.awaitCall("eng", () => calls++);
  awaitCall();
  const first = await connected(t, port);
  await until("it is reported", () => calls === 1);
  const second = await connected(t, port);
  first.destroy();
  second.destroy();
  awaitCall();
  await until("what still waits is reported at once", () => calls === 2);
  // Takes the two out of the queue.
  sockets.refuse("eng", { code: "SLEEPING_BUSY", message: "busy", retryAfterS: 1 });
  t.equal(await callOnNewConnection(port, OWN_HOST), 503);
  sockets.hold("eng", port);
  awaitCall();
  sockets.hold("eng", port);
  await connected(t, port);
  awaitCall();
  await until("it is reported", () => calls === 3);
});

t.test(
  "a refused call gets SLEEPING_BUSY, one that waits already too, until an engine is launched",
  native,
  async (t) => {
    const { backend, order } = testFleet(t, "well-behaved");
    const given = await order();
    const { engine_id: id, port } = given.launch;
    backend.sockets.hold(id, port);
    const waiting = callOnNewConnection(port, HOST);
    await new Promise<void>((resolve) => backend.sockets.awaitCall(id, resolve));
    backend.sockets.refuse(id, { code: "SLEEPING_BUSY", message: "too many engines are awake", retryAfterS: 7 });
    t.equal(await waiting, 503);
    t.match(await ask(urlOf(given), "/execute", { method: "POST", body: { message: "x" } }), {
      status: 503,
      headers: { "retry-after": "7", connection: "close", "content-type": "application/json" },
      body: { error: "SLEEPING_BUSY", message: "too many engines are awake" },
    });
    t.equal(await callOnNewConnection(port, HOST, Buffer.alloc(2 * 1024 * 1024)), 503, "after a long body");
    const engine = await backend.launch(given);
    t.equal(await callOnNewConnection(port, HOST), 200);
    await engine.stop(5000);
  },
);

t.test("a call whose connection was accepted before the refusing ends is answered", native, async (t) => {
  const sockets = ownSockets(t);
  const port = await freePort();
  sockets.hold("eng", port);
  sockets.refuse("eng", { code: "SLEEPING_BUSY", message: "busy", retryAfterS: 1 });
  const early = await connected(t, port);
  // Connections are accepted in order.
  t.equal(await callOnNewConnection(port, OWN_HOST), 503);
  sockets.hold("eng", port);
  early.write("GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n");
  const [answer] = await once(early, "data");
  t.match(String(answer), /^HTTP\/1.1 503 /);
});

t.test("a thousand held sockets report a call to the right engine", native, async (t) => {
  const sockets = ownSockets(t);
  const called = new Set<string>();
  const ports = Array.from({ length: 1000 }, (_, at) => 20_000 + at);
  const before = process.memoryUsage().rss;
  for (const port of ports) {
    sockets.hold(`eng-${port}`, port);
    sockets.awaitCall(`eng-${port}`, () => called.add(`eng-${port}`));
  }
  t.comment(`${Math.round((process.memoryUsage().rss - before) / 1024 ** 2)} MiB`);
  const some = ports.filter((port) => port % 50 === 0);
  await Promise.all(some.map((port) => connected(t, port)));
  await until("they are reported", () => called.size >= some.length);
  t.same([...called].sort(), some.map((port) => `eng-${port}`).sort());
});

t.test("no program inherits a held socket", native, async (t) => {
  const sockets = ownSockets(t);
  const descriptor = sockets.hold("eng", await freePort());
  sockets.awaitCall("eng", () => undefined);
  const { stdout } = spawnSync("/bin/ls", ["-l", "/proc/self/fd"], { stdio: ["ignore", "pipe", "ignore"] });
  t.match(stdout.toString(), / 1 -> /);
  t.notOk(stdout.toString().includes(readlinkSync(`/proc/self/fd/${descriptor}`)));
});
