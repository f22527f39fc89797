import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import t, { type Test } from "tap";
import { bridgeAddress } from "../../../../src/orchestrator/fleet/docker/bridge-address.ts";
import { freshFolder } from "../../../helpers/folder.ts";

/** A Docker engine that answers every call with the same status and body. */
async function dockerThatSays(t: Test, status: number, body: object): Promise<{ readonly socketPath: string }> {
  const socketPath = join(freshFolder(t), "docker.sock");
  const server = createServer((_, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }).listen(socketPath);
  await once(server, "listening");
  t.teardown(() => server.close());
  return { socketPath };
}

const bridge = (Config: readonly object[] | null) => ({ IPAM: { Config } });

t.test("the host's address is the gateway of the bridge", async (t) => {
  const docker = await dockerThatSays(t, 200, bridge([{ Subnet: "172.17.0.0/16", Gateway: "172.17.0.9" }]));
  t.equal(await bridgeAddress(docker), "172.17.0.9");
});

t.test("a Docker engine that was started for the first time names no gateway: it is the first address", async (t) => {
  const ipv6 = { Subnet: "fd00::/80" };
  const docker = await dockerThatSays(t, 200, bridge([ipv6, { Subnet: "192.168.64.0/20" }]));
  t.equal(await bridgeAddress(docker), "192.168.64.1");
});

t.test("without a bridge, or a Docker engine that answers, there is none", async (t) => {
  t.equal(await bridgeAddress(await dockerThatSays(t, 200, bridge(null))), null);
  t.equal(await bridgeAddress(await dockerThatSays(t, 404, { message: "network bridge not found" })), null);
  t.equal(await bridgeAddress({ socketPath: "/nowhere/docker.sock" }), null);
});
