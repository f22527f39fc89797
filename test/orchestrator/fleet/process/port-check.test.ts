import { closeSync, mkdirSync, openSync, readFileSync, readlinkSync, renameSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { listen } from "../../../../src/shared/http/http-server.ts";
import { isPortFree, portFreed, portHolders } from "../../../../src/orchestrator/fleet/process/port-check.ts";
import { HOST, freePort, healthy, testFleet, pidOf } from "../../../helpers/fleet.ts";

for (const host of [HOST, "0.0.0.0", "::"]) {
  t.test(`a listener on ${host} keeps the port from an engine`, async (t) => {
    const server = await listen(() => undefined, host, 0);
    t.notOk(await isPortFree(HOST, server.port));
    await server.close(0);
    t.ok(await isPortFree(HOST, server.port));
  });
}

t.test("portFreed waits until the listener is gone, up to its deadline", async (t) => {
  const server = await listen(() => undefined, HOST, 0);
  const hold = setInterval(() => undefined, 1000);
  t.teardown(() => clearInterval(hold));
  t.notOk(await portFreed(HOST, server.port, 50));
  const freed = portFreed(HOST, server.port, 20_000);
  await server.close(0);
  t.ok(await freed);
  t.ok(await portFreed(HOST, await freePort(), 0), "a free port needs no waiting");
});

for (const host of [HOST, "::"]) {
  t.test(`who listens on ${host} is found by its port`, async (t) => {
    const server = await listen(() => undefined, host, 0);
    // A connection has the same local port but does not listen.
    await fetch(`http://${HOST}:${server.port}`, { signal: AbortSignal.timeout(100) }).catch(() => undefined);
    t.same(portHolders(server.port), [process.pid]);
    await server.close(0);
    t.same(portHolders(server.port), []);
  });
}

t.test("a child that still listens on the port of its engine is found", async (t) => {
  const { backend, order } = testFleet(t, "forks-children");
  const given = await order();
  const engine = await backend.launch(given);
  await healthy(given, engine);
  const [, , listener] = JSON.parse(readFileSync(join(given.launch.data_dir, "children.json"), "utf8"));
  backend.sockets.release(given.launch.engine_id);
  t.same(portHolders(given.launch.port), [pidOf(engine)]);
  t.same(portHolders(given.launch.port + 1), [listener]);
  await engine.stop(100);
  t.same(portHolders(given.launch.port + 1), []);
});

t.test("a free port has no listener", async (t) => {
  t.same(portHolders(await freePort()), []);
});

t.test("a file open deeper than PATH_MAX hides no listener", async (t) => {
  const half = Array.from({ length: 15 }, () => "d".repeat(200));
  const [upper, lower, joined] = [["upper"], ["lower"], ["upper", ...half, "lower"]].map((names) =>
    join(t.testdirName, ...names),
  ) as [string, string, string];
  t.testdir();
  for (const top of [upper, lower]) mkdirSync(join(top, ...half), { recursive: true });
  const file = openSync(join(lower, ...half, "file"), "w");
  renameSync(lower, joined);
  t.throws(() => readlinkSync(`/proc/self/fd/${file}`), { code: "ENAMETOOLONG" });
  const server = await listen(() => undefined, HOST, 0);
  t.same(portHolders(server.port), [process.pid]);
  await server.close(0);
  closeSync(file);
  // The test runner could not remove it.
  renameSync(joined, lower);
});
