import t from "tap";
import { listen } from "../../../src/shared/http/http-server.ts";
import { isPortFree, portFreed } from "../../../src/orchestrator/fleet/port-check.ts";
import { HOST, freePort } from "../../helpers/fleet.ts";

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
