import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { listen } from "../../../src/shared/http/http-server.ts";
import { portHolders } from "../../../src/orchestrator/fleet/port-holders.ts";
import { HOST, freePort, healthy, testFleet } from "../../helpers/fleet.ts";

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
  t.same(portHolders(given.launch.port), [engine.handle.pid]);
  t.same(portHolders(given.launch.port + 1), [listener]);
  await engine.stop(100);
  t.same(portHolders(given.launch.port + 1), []);
});

t.test("a free port has no listener", async (t) => {
  t.same(portHolders(await freePort()), []);
});
