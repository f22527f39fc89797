import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import t, { type Test } from "tap";
import { ServiceManager } from "../../../src/orchestrator/daemon/service-manager.ts";
import { EngineSockets } from "../../../src/orchestrator/fleet/sockets/engine-sockets.ts";
import { openListener, socketAddress } from "../../../src/sandbox/sockets/listening-sockets.ts";
import { nativeProblem } from "../../../src/sandbox/system/system-calls.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { startDaemon } from "../../helpers/daemon.ts";
import { HOST, fixture, freePort, silent } from "../../helpers/fleet.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { freshDatabaseUrl } from "../../helpers/shared-postgres.ts";
import { until } from "../../helpers/until.ts";

const skip = nativeProblem() ?? (existsSync("/usr/bin/python3") ? false : "needs python3");

interface Notification {
  readonly text: string;
  readonly ports: readonly number[];
}

async function receiver(t: Test, address: string) {
  const child = spawn("/usr/bin/python3", [fixture("notify-receiver.py"), address], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.teardown(() => child.kill("SIGKILL"));
  const received: Notification[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => received.push(JSON.parse(line)));
  await until("it listens", () => received.shift());
  return {
    received,
    texts: () => received.map(({ text }) => text),
    signal: (name: NodeJS.Signals) => child.kill(name),
  };
}

const manager = (notifySocket: string, { watchdog = true, kept = new Map<string, number>() } = {}) =>
  new ServiceManager({ notifySocket, watchdog, kept, logger: silent });

t.test("states are sent to a path and to an abstract name", { skip }, async (t) => {
  for (const address of [join(freshFolder(t), "notify"), `@orchd-test-${randomUUID()}`]) {
    const { received, texts } = await receiver(t, address);
    const systemd = manager(address);
    systemd.ready();
    systemd.status("1 engines run");
    systemd.status("1 engines run");
    systemd.pingWatchdog();
    systemd.stopping();
    await until("all have arrived", () => received.length === 4);
    t.same(texts(), ["READY=1", "STATUS=1 engines run", "WATCHDOG=1", "STOPPING=1"], address);
  }
});

t.test("without a watchdog none is fed", { skip }, async (t) => {
  const address = `@orchd-test-${randomUUID()}`;
  const { received, texts } = await receiver(t, address);
  const systemd = manager(address, { watchdog: false });
  systemd.pingWatchdog();
  systemd.ready();
  await until("it has arrived", () => received.length > 0);
  t.same(texts(), ["READY=1"]);
});

t.test("held sockets are stored under their ports, and removed at their release", { skip }, async (t) => {
  const address = `@orchd-test-${randomUUID()}`;
  const { received } = await receiver(t, address);
  const sockets = new EngineSockets({ host: HOST, logger: silent, store: manager(address) });
  t.teardown(() => sockets.close());
  const [port, other] = [await freePort(), await freePort()];
  sockets.hold("eng", port);
  sockets.hold("eng", port);
  sockets.hold("eng", other);
  sockets.release("eng");
  await until("all have arrived", () => received.length === 4);
  t.same(received, [
    { text: `FDSTORE=1\nFDNAME=${port}`, ports: [port] },
    { text: `FDSTOREREMOVE=1\nFDNAME=${port}`, ports: [] },
    { text: `FDSTORE=1\nFDNAME=${other}`, ports: [other] },
    { text: `FDSTOREREMOVE=1\nFDNAME=${other}`, ports: [] },
  ]);
});

t.test("kept sockets go to their engines; others are closed and removed", { skip }, async (t) => {
  const address = `@orchd-test-${randomUUID()}`;
  const { received } = await receiver(t, address);
  const [port, forgotten, moved] = [await freePort(), await freePort(), await freePort()];
  const listener = (on: number) => {
    const place = socketAddress(HOST, on);
    if (place === null) throw new Error("it is an address");
    return openListener(place, 16);
  };
  const kept = new Map([
    [String(port), listener(port)],
    [String(forgotten), listener(forgotten)],
    // Listens on another port than its name says.
    [String(moved), listener(moved + 1)],
    ["stored", listener(await freePort())],
  ]);
  const sockets = new EngineSockets({ host: HOST, logger: silent, store: manager(address, { kept }) });
  t.teardown(() => sockets.close());
  sockets.restore([
    { id: "eng-1", port },
    { id: "eng-2", port: moved },
  ]);
  t.same([sockets.isHeld("eng-1"), sockets.isHeld("eng-2")], [true, false]);
  t.equal(sockets.hold("eng-1", port), kept.get(String(port)));
  await until("all have arrived", () => received.length === 3);
  t.same(
    new Set(received.map(({ text }) => text)),
    new Set([forgotten, moved, "stored"].map((name) => `FDSTOREREMOVE=1\nFDNAME=${name}`)),
  );
});

t.test("messages that a busy service manager cannot take arrive later, sockets last", { skip }, async (t) => {
  const address = `@orchd-test-${randomUUID()}`;
  const { received, texts, signal } = await receiver(t, address);
  signal("SIGSTOP");
  const systemd = manager(address);
  const sockets = new EngineSockets({ host: "127.0.0.78", logger: silent, store: systemd });
  const ports = Array.from({ length: 1200 }, (_, at) => 20_000 + at);
  for (const port of ports) sockets.hold(`eng-${port}`, port);
  systemd.pingWatchdog();
  const last = ports.at(-1) ?? 0;
  sockets.release(`eng-${last}`);
  // What waits are copies.
  sockets.close();
  signal("SIGCONT");
  await systemd.flush();
  await until("all have arrived", () => received.length === ports.length + 1);
  t.same(
    received.flatMap((one) => one.ports),
    ports.slice(0, -1),
  );
  t.ok(texts().indexOf("WATCHDOG=1") < 600, "it does not wait for the sockets");
  t.ok(texts().includes(`FDSTOREREMOVE=1\nFDNAME=${last}`));
});

t.test("a service manager that is gone does not disturb the daemon", { skip }, async (t) => {
  const warnings: unknown[] = [];
  const logger = createLogger("test", "silent");
  logger.warn = (fields: unknown) => void warnings.push(fields);
  for (const notifySocket of [join(freshFolder(t), "nobody"), "@nobody-listens", "vsock:2:1", "/".repeat(200)])
    new ServiceManager({ notifySocket, watchdog: false, kept: new Map(), logger }).ready();
  t.equal(warnings.length, 4);
  new ServiceManager({ notifySocket: undefined, watchdog: true, kept: new Map(), logger }).pingWatchdog();
  t.equal(warnings.length, 4);
});

t.test("a daemon notifies the service manager of readiness, status, watchdog and stop", { skip }, async (t) => {
  const address = `@orchd-test-${randomUUID()}`;
  const { texts } = await receiver(t, address);
  const daemon = await startDaemon(t, {
    dataDir: freshFolder(t),
    databaseUrl: await freshDatabaseUrl(t),
    env: { NOTIFY_SOCKET: address, WATCHDOG_USEC: "10000000" },
  });
  await until("it goes on", () => texts().filter((text) => text === "WATCHDOG=1").length > 1);
  await daemon.stop();
  await until("it says that it stops", () => texts().includes("STOPPING=1"));
  const once = [...new Set(texts())];
  t.same(once, ["STATUS=reconciling its engines", "READY=1", "WATCHDOG=1", "STATUS=0 engines run", "STOPPING=1"]);
});
