import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, type Socket, createServer } from "node:net";
import t from "tap";
import { openListener, socketAddress } from "../../../src/sandbox/sockets/listening-sockets.ts";
import { endLostPeers } from "../../../src/sandbox/sockets/lost-peers.ts";
import { callNative } from "../../../src/sandbox/system/system-calls.ts";
import { EngineSockets } from "../../../src/orchestrator/fleet/sockets/engine-sockets.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { freePort } from "../../helpers/daemon.ts";

const TCP = 6;
const USER_TIMEOUT = 18;
const TIMEOUT_MS = 1000;

const ip = (...args: string[]) => execFileSync("ip", args, { stdio: "pipe" });
const name = `orchd${process.pid % 100_000}`;
/** A network namespace needs root and iproute2. */
const hasNamespaces =
  process.getuid?.() === 0 &&
  spawnSync("ip", ["netns", "add", name]).status === 0 &&
  spawnSync("ip", ["link", "add", `${name}a`, "type", "veth", "peer", "name", `${name}b`, "netns", name]).status === 0;
t.teardown(() => void spawnSync("ip", ["netns", "del", name]));

t.test("the sockets of engines end the connections of clients that are gone", async (t) => {
  const sockets = new EngineSockets({ host: "127.0.0.1", logger: createLogger("test", "silent") });
  t.teardown(() => sockets.close());
  const descriptor = sockets.hold("eng", await freePort());
  const value = Buffer.alloc(4);
  const length = Buffer.from([4, 0, 0, 0]);
  callNative("getsockopt", [descriptor ?? -1, TCP, USER_TIMEOUT, value, length]);
  t.equal(value.readInt32LE(), 40_000);
});

t.test(
  "a stream whose client vanishes without a word ends",
  { skip: !hasNamespaces && "needs root and network namespaces" },
  async (t) => {
    const subnet = `10.213.${process.pid % 250}`;
    ip("addr", "add", `${subnet}.1/24`, "dev", `${name}a`);
    ip("link", "set", `${name}a`, "up");
    ip("-n", name, "addr", "add", `${subnet}.2/24`, "dev", `${name}b`);
    ip("-n", name, "link", "set", `${name}b`, "up");
    const address = socketAddress(`${subnet}.1`, 0);
    if (address === null) throw new Error("no address");
    const descriptor = openListener(address, 1);
    endLostPeers(descriptor, TIMEOUT_MS);
    const server = createServer().listen({ fd: descriptor });
    t.teardown(() => server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const program = `require("net").connect(${port}, "${subnet}.1").resume()`;
    const client = spawn("ip", ["netns", "exec", name, process.execPath, "-e", program], { stdio: "ignore" });
    t.teardown(() => client.kill("SIGKILL"));
    const [socket] = (await once(server, "connection")) as [Socket];
    const lost = once(socket, "error");
    ip("-n", name, "link", "set", `${name}b`, "down");
    socket.write(": heartbeat\n\n");
    const [error] = await lost;
    t.equal((error as NodeJS.ErrnoException).code, "ETIMEDOUT");
  },
);
