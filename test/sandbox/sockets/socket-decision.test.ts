import t from "tap";
import { decideBind, decideConnect, maySocketListen } from "../../../src/sandbox/sockets/socket-decision.ts";
import { socketAddress } from "../../../src/sandbox/sockets/listening-sockets.ts";

const RULES = { proxyPort: 4000, listen: [3000] };
const REFUSED = { errno: 13 };
const addressOf = (host: string, port: number): Buffer => socketAddress(host, port)?.bytes ?? Buffer.alloc(0);
const connectTo = (host: string, port: number, rules = RULES) => decideConnect(addressOf(host, port), rules);
const bindTo = (host: string, port: number, isV6Only = false) =>
  decideBind(addressOf(host, port), RULES, { isV6Only: () => isV6Only });

t.test("a tool connects to the proxy on 127.0.0.1, and to ports of tool_listen on loopback", async (t) => {
  for (const [host, port] of [
    ["127.0.0.1", 4000],
    ["::ffff:127.0.0.1", 4000],
    ["127.0.0.1", 3000],
    ["::1", 3000],
    ["::ffff:127.0.0.1", 3000],
  ] as const)
    t.same(connectTo(host, port), { host: host === "::1" ? host : "127.0.0.1", port, address: addressOf(host, port) });
});

t.test("no other host, and no other port, is connected to", async (t) => {
  const hosts = [
    "127.0.0.2",
    "10.0.0.1",
    "192.0.2.1",
    "::2",
    "fe80::1",
    "::ffff:127.0.0.2",
    "::ffff:10.0.0.1",
    "::127.0.0.1",
  ];
  for (const host of hosts) for (const port of [4000, 3000]) t.same(connectTo(host, port), REFUSED, `${host} ${port}`);
  for (const host of ["127.0.0.1", "::1"]) t.same(connectTo(host, 22), REFUSED);
  t.same(connectTo("::1", 4000), REFUSED, "where another program may have the proxy's port");
  t.same(connectTo("127.0.0.1", 4000, { ...RULES, proxyPort: null as never }), REFUSED);
  t.same(connectTo("0.0.0.0", 22), REFUSED);
});

t.test("the wildcard address is loopback", async (t) => {
  t.match(connectTo("0.0.0.0", 3000), { address: addressOf("127.0.0.1", 3000) });
  t.match(connectTo("::", 3000), { address: addressOf("::1", 3000) });
  t.match(bindTo("0.0.0.0", 3000), { address: addressOf("127.0.0.1", 3000) });
  t.match(bindTo("::", 3000), { address: addressOf("::ffff:127.0.0.1", 3000) });
  t.match(bindTo("::", 3000, true), { address: addressOf("::1", 3000) });
});

t.test("a tool binds to loopback and to ports of tool_listen only", async (t) => {
  t.match(bindTo("127.0.0.1", 3000), { address: addressOf("127.0.0.1", 3000) });
  t.match(bindTo("::1", 3000), { address: addressOf("::1", 3000) });
  for (const host of ["127.0.0.2", "192.0.2.1", "fe80::1"]) t.same(bindTo(host, 3000), REFUSED, host);
  for (const port of [0, 4000, 3001]) t.same(bindTo("127.0.0.1", port), REFUSED, String(port));
});

t.test("a socket without an address of its own does not listen", async (t) => {
  t.ok(maySocketListen(addressOf("127.0.0.1", 3000), RULES));
  t.ok(maySocketListen(addressOf("::ffff:127.0.0.1", 3000), RULES));
  for (const [host, port] of [
    ["0.0.0.0", 3000],
    ["::", 3000],
    ["127.0.0.1", 3001],
    ["192.0.2.1", 3000],
  ] as const)
    t.notOk(maySocketListen(addressOf(host, port), RULES), host);
});

t.test("Unix sockets, unknown families and short addresses are refused", async (t) => {
  const unix = Buffer.from("\x01\x00/run/docker.sock\0");
  t.same(decideConnect(unix, RULES), REFUSED);
  t.same(decideBind(Buffer.from("\x01\x00\0abstract"), RULES, { isV6Only: () => false }), REFUSED);
  t.same(decideConnect(Buffer.from([40, 0, 0, 0]), RULES), REFUSED);
  t.same(decideConnect(addressOf("127.0.0.1", 3000).subarray(0, 8), RULES), { errno: 22 });
  t.same(decideBind(addressOf("::1", 3000).subarray(0, 20), RULES, { isV6Only: () => false }), { errno: 22 });
  t.match(decideConnect(Buffer.alloc(2), RULES), { address: Buffer.alloc(16) }, "AF_UNSPEC ends a connection");
  t.same(decideBind(Buffer.alloc(16), RULES, { isV6Only: () => false }), REFUSED, "AF_UNSPEC binds to every address");
});

t.test("a scope and a flow that a tool gave do not reach the kernel", async (t) => {
  const given = addressOf("::1", 3000);
  given.writeUInt32LE(7, 4);
  given.writeUInt32LE(9, 24);
  t.match(connectTo("::1", 3000), decideConnect(given, RULES));
});
