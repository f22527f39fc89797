import { readFileSync } from "node:fs";
import { request } from "node:http";
import { dirname, join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import t from "tap";
import { ask } from "../helpers/api.ts";
import { freePort } from "../helpers/daemon.ts";
import { until } from "../helpers/until.ts";
import { bootMachine, cannotBoot } from "./machine.ts";

const skip = cannotBoot();
/** A release has Node.js in `bin`, a checkout has it among its packages. */
const unitFile = (name: string) =>
  readFileSync(resolve(import.meta.dirname, "../../systemd", name), "utf8").replace(
    "bin/node",
    "node_modules/.bin/node",
  );
const ADMIN = { "x-admin-key": "admin-key-of-the-test" };
const WATCHDOG_S = 8;
/** More often than a restart has steps, and few enough to leave it the processor. */
const BETWEEN_CALLS_MS = 5;

/** The status, or the error's code. */
const callOnNewConnection = (url: string): Promise<number | string> =>
  new Promise((resolve) => {
    const call = request(url, { agent: false }, (response) => {
      response.resume().once("error", () => undefined);
      resolve(response.statusCode ?? 0);
    });
    call.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    call.end();
  });

t.test("the daemon under systemd", { skip }, async (t) => {
  const [port, portMin] = [await freePort(), 20_000 + Math.floor(Math.random() * 9000)];
  const url = `http://127.0.0.1:${port}`;
  const folder = "/etc/systemd/system";
  const machine = await bootMachine(t, {
    files: {
      [`${folder}/orchd.service`]: unitFile("orchd.service"),
      [`${folder}/orchd-engines.service`]: unitFile("orchd-engines.service"),
      [`${folder}/orchd.socket`]: unitFile("orchd.socket").replace("127.0.0.1:7700", `127.0.0.1:${port}`),
      [`${folder}/orchd.service.d/watchdog.conf`]: `[Service]\nWatchdogSec=${WATCHDOG_S}\n`,
      "/etc/orchd/orchd.env": [
        `ORCH_PORT=${port}`,
        `ORCH_PORT_MIN=${portMin}`,
        `ORCH_PORT_MAX=${portMin + 50}`,
        `ORCH_ADMIN_KEY=${ADMIN["x-admin-key"]}`,
      ].join("\n"),
    },
    enabled: ["orchd.socket", "orchd.service"],
  });
  t.teardown(() => {
    if (!t.passing()) t.comment(machine.log());
  });
  const isActive = () => machine.show("ActiveState") === "active";
  const storedSockets = () => Number(machine.show("NFileDescriptorStore"));
  const isReady = () => {
    if (machine.show("NRestarts") !== "0") throw new Error(`it does not start:\n${machine.log()}`);
    return isActive();
  };
  await until("the daemon is ready", isReady, 120_000);
  const registered = await ask(url, "/products/register", { method: "POST", headers: ADMIN, body: { slug: "p" } });
  const headers = { "x-platform-key": registered.body.platform_api_key };
  const record = async () => (await ask(url, "/engines/alice", { headers })).body;

  await t.test("keeps the socket of a provisioned engine in systemd's store", async (t) => {
    const made = await ask(url, "/engines/provision", { method: "POST", headers, body: { user_id: "alice" } });
    t.equal(made.status, 201);
    await until("it is stored", () => storedSockets() === 1);
    await until("the state is shown", () => machine.show("StatusText") === "1 engines run");
  });

  /** Below the mount of version 2 in the machine. */
  const cgroupOf = async () => /^0::(.*)$/m.exec(machine.run("cat", `/proc/${(await record()).pid}/cgroup`))?.[1] ?? "";
  await t.test("runs an engine in a cgroup of the unit for engines", async (t) => {
    const unit = machine.show("ControlGroup", "orchd-engines");
    t.match(await cgroupOf(), new RegExp(`^${unit}/engine-[0-9a-f]{8}-${(await record()).incarnation}(/main)?$`));
  });

  await t.test("is restarted without a refused call, and its engines live on", async (t) => {
    const engine = await record();
    const over = new AbortController();
    const outcomes = new Set<number | string>();
    const hammer = async (target: string) => {
      while (!over.signal.aborted) {
        outcomes.add(await callOnNewConnection(target));
        await pause(BETWEEN_CALLS_MS);
      }
    };
    const clients = [`${url}/health`, `${engine.url}/health`].map(hammer);
    const daemon = machine.show("MainPID");
    machine.run("systemctl", "restart", "--no-block", "orchd");
    await until("another daemon is ready", () => machine.show("MainPID") !== daemon && isActive(), 60_000);
    over.abort();
    await Promise.all(clients);
    t.same([...outcomes], [200]);
    t.match(await record(), { state: "running", pid: engine.pid, incarnation: engine.incarnation });
    t.equal(storedSockets(), 1);
  });

  const controllers = machine.run("cat", "/sys/fs/cgroup/cgroup.controllers").split(/\s/);
  const noLimits = controllers.includes("memory") ? false : "needs cgroup v2 with the controller memory";
  await t.test("limits an engine still after that, and the kernel ends it alone", { skip: noLimits }, async (t) => {
    const engine = await record();
    const holder = machine.show("MainPID", "orchd-engines");
    const limit = join("/sys/fs/cgroup", dirname(await cgroupOf()), "memory.max");
    t.match(machine.run("cat", limit), /^\d+$/m);
    machine.run("sh", "-c", `echo 16M > ${limit}`);
    await until("another process runs", async () => {
      const { state, pid } = await record();
      return state === "running" && pid !== engine.pid;
    });
    t.match((await record()).last_error, { message: /out of memory/ });
    t.equal(machine.show("MainPID", "orchd-engines"), holder);
  });

  await t.test("is killed together with an engine, and a call to the engine waits for both", async (t) => {
    const engine = await record();
    machine.run("systemctl", "kill", "--signal=KILL", "--kill-who=main", "orchd");
    machine.run("kill", "-9", String(engine.pid));
    t.equal(await callOnNewConnection(`${engine.url}/health`), 200);
    await until("the daemon is ready", isActive, 60_000);
    await until("the engine is recorded", async () => (await record()).state === "running");
    const next = await record();
    t.not(next.incarnation, engine.incarnation);
    t.equal(next.port, engine.port);
  });

  await t.test("is restarted by the watchdog when it hangs", async (t) => {
    const engine = await record();
    const restarts = Number(machine.show("NRestarts"));
    machine.run("systemctl", "kill", "--signal=STOP", "--kill-who=main", "orchd");
    await until("it is restarted", () => Number(machine.show("NRestarts")) > restarts && isActive(), 60_000);
    t.match(machine.run("journalctl", "-u", "orchd", "--no-pager"), "Watchdog timeout");
    t.match(await record(), { state: "running", pid: engine.pid, incarnation: engine.incarnation });
  });

  await t.test("is killed while an engine sleeps, and a call to the engine waits for both", async (t) => {
    const engine = await record();
    // It refuses while its start is still going on.
    await until("it sleeps", async () => {
      await ask(url, "/engines/alice/sleep", { method: "POST", headers, body: {} });
      return (await record()).state === "sleeping" && (await record()).pid === null;
    });
    machine.run("systemctl", "kill", "--signal=KILL", "--kill-who=main", "orchd");
    t.equal(await callOnNewConnection(`${engine.url}/health`), 200);
    await until("the daemon is ready", isActive, 60_000);
    await until("the engine is recorded", async () => (await record()).state === "running");
    t.not((await record()).incarnation, engine.incarnation);
    t.equal(storedSockets(), 1);
  });

  await t.test("starts engines again after the unit of their cgroups was killed", async (t) => {
    const { pid } = await record();
    machine.run("systemctl", "kill", "--signal=KILL", "--kill-who=main", "orchd-engines");
    await until(
      "another process runs",
      async () => {
        const engine = await record();
        return engine.state === "running" && engine.pid !== pid;
      },
      60_000,
    );
    await until("the unit runs", () => machine.show("ActiveState", "orchd-engines") === "active", 60_000);
    t.not(machine.show("NRestarts", "orchd-engines"), "0");
  });

  await t.test("removes the socket of a destroyed engine from the store", async (t) => {
    const engine = await record();
    t.equal((await ask(url, "/engines/alice", { method: "DELETE", headers })).status, 200);
    await until("it is removed", () => storedSockets() === 0);
    t.equal(await callOnNewConnection(`${engine.url}/health`), "ECONNREFUSED");
  });
});
