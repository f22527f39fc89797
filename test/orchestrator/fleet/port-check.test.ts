import t from "tap";
import { listen } from "../../../src/kit/http-server.ts";
import { isPortFree } from "../../../src/orchestrator/fleet/port-check.ts";
import { HOST } from "../../helpers/fleet.ts";

for (const host of [HOST, "0.0.0.0", "::"]) {
  t.test(`a listener on ${host} keeps the port from an engine`, async (t) => {
    const server = await listen(() => undefined, host, 0);
    t.notOk(await isPortFree(HOST, server.port));
    await server.close(0);
    t.ok(await isPortFree(HOST, server.port));
  });
}
