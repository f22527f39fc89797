import { once } from "node:events";
import { type RequestListener, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t, { type Test } from "tap";
import { type OutsideCall, callOutside } from "../../../src/orchestrator/outbound/call-outside.ts";
import { literalUrlProblem, outsideUrlProblem } from "../../../src/shared/outside-addresses.ts";

async function startServer(t: Test, listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const to = (url: string, more: Partial<OutsideCall> = {}): OutsideCall => ({
  url,
  method: "POST",
  body: Buffer.from("{}"),
  privateHosts: [],
  timeoutMs: 5000,
  maxAnswerBytes: 4096,
  ...more,
});
const resolvesTo = (...addresses: readonly string[]) => ({
  resolve: async () => addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
});

t.test("a listed host is called, with method, headers and body", async (t) => {
  const seen: unknown[] = [];
  const port = await startServer(t, async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    seen.push([request.method, request.url, request.headers["x-one"], request.headers.host, body]);
    response.writeHead(202, { "x-two": "2" }).end("taken");
  });
  const call = { headers: { "x-one": "1" }, privateHosts: [`127.0.0.1:${port}`] };
  const answer = await callOutside(to(`http://127.0.0.1:${port}/a?b=c`, call));
  t.match(answer, { kind: "answered", status: 202, headers: { "x-two": "2" }, isWhole: true });
  t.equal(answer.kind === "answered" && answer.body.toString(), "taken");
  const named = { ...call, privateHosts: ["hooks.internal"], ...resolvesTo("127.0.0.1") };
  t.match(await callOutside(to(`http://hooks.internal:${port}/`, named)), { kind: "answered" });
  t.same(seen, [
    ["POST", "/a?b=c", "1", `127.0.0.1:${port}`, "{}"],
    ["POST", "/", "1", `hooks.internal:${port}`, "{}"],
  ]);
});

t.test("an address that is not on the public internet is not called", async (t) => {
  let calls = 0;
  const port = await startServer(t, (_request, response) => {
    calls++;
    response.end();
  });
  const hosts = [
    "127.0.0.1",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "localhost",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::]",
    "0.0.0.0",
  ];
  for (const host of [...hosts, "169.254.169.254", "[fe80::1]", "10.0.0.1"]) {
    const answer = await callOutside(to(`https://${host}:${port}/`));
    t.match(
      answer,
      { kind: "refused", reason: /is not on the public internet, and the policy.s private_hosts does not list/ },
      host,
    );
  }
  for (const addresses of [["10.0.0.1"], ["93.184.216.34", "127.0.0.1"], ["::ffff:10.0.0.1"], ["64:ff9b::a00:1"]]) {
    const answer = await callOutside(to(`https://hooks.example.com:${port}/`, resolvesTo(...addresses)));
    t.match(answer, { kind: "refused", reason: /is not on the public internet/ }, addresses.join());
  }
  const other = { privateHosts: [`127.0.0.1:${port + 1}`, "hooks.internal:9"] };
  t.match(await callOutside(to(`http://127.0.0.1:${port}/`, other)), { kind: "refused" });
  t.match(await callOutside(to(`http://hooks.internal:${port}/`, { ...other, ...resolvesTo("127.0.0.1") })), {
    kind: "refused",
    reason: /private_hosts does not list it/,
  });
  t.equal(calls, 0);
});

t.test("a name is resolved once, so that a second look-up cannot change the address", async (t) => {
  const port = await startServer(t, (_request, response) => response.end());
  let lookups = 0;
  const rebinding = {
    resolve: async () => [{ address: lookups++ === 0 ? "127.0.0.1" : "127.0.0.2", family: 4 }],
    privateHosts: ["rebind.example"],
  };
  t.match(await callOutside(to(`http://rebind.example:${port}/`, rebinding)), { kind: "answered", status: 200 });
  t.equal(lookups, 1);
});

t.test("attack: a name with other addresses than before gets no connection of those", async (t) => {
  const connections = new Set<unknown>();
  const port = await startServer(t, (request, response) => {
    connections.add(request.socket);
    response.end();
  });
  const call = async (...addresses: readonly string[]) =>
    t.match(
      await callOutside(
        to(`http://pooled.example:${port}/`, { privateHosts: ["pooled.example"], ...resolvesTo(...addresses) }),
      ),
      { kind: "answered" },
    );
  await call("127.0.0.1");
  await call("127.0.0.1");
  t.equal(connections.size, 1, "a connection is kept");
  await call("127.0.0.1", "127.0.0.2");
  t.equal(connections.size, 2);
});

t.test("http without a listed host, users, fragments and other schemes are refused by their form", (t) => {
  t.equal(outsideUrlProblem("https://hooks.example.com/a", []), null);
  t.equal(outsideUrlProblem("http://hooks.internal/a", ["hooks.internal"]), null);
  t.match(outsideUrlProblem("http://hooks.example.com/", []), /http is for the hosts of the policy's private_hosts/);
  t.match(outsideUrlProblem("https://a:b@hooks.example.com/", []), /without user and password/);
  t.match(outsideUrlProblem("https://hooks.example.com/#a", []), /without a fragment/);
  for (const text of ["", "hooks.example.com", "ftp://a/", "file:///etc/passwd", "https://"])
    t.match(outsideUrlProblem(text, ["a"]), /expected an https/, text);
  t.end();
});

t.test("an address that needs no name is judged by itself, and a name when it is called", async (t) => {
  t.equal(await literalUrlProblem("https://hooks.example.com/a", []), null);
  t.equal(await literalUrlProblem("https://192.0.66.1/", []), null, "of the public internet");
  t.equal(await literalUrlProblem("https://localhost/", ["127.0.0.1"]), null);
  t.equal(await literalUrlProblem("http://localhost:8080/", ["localhost:8080"]), null);
  t.equal(await literalUrlProblem("https://10.1.2.3/", ["10.0.0.0/8"]), null);
  t.equal(await literalUrlProblem("https://[::1]/", ["::1"]), null);
  for (const url of ["https://localhost/", "https://a.localhost./", "https://10.1.2.3/", "https://[::ffff:10.1.2.3]/"])
    t.match(await literalUrlProblem(url, ["192.168.0.0/16"]), /the policy's private_hosts does not list/, url);
  t.match(await literalUrlProblem("http://10.1.2.3/", ["192.168.0.0/16"]), /private_hosts does not list it/);
  t.match(await literalUrlProblem("ftp://10.1.2.3/", []), /expected an https/);
});

t.test("a host of the public internet is not called without TLS", async (t) => {
  const answer = await callOutside(to("http://93.184.216.34/", { privateHosts: ["hooks.internal"] }));
  t.match(answer, { kind: "refused", reason: /private_hosts does not list it/ });
});

t.test("an answer is bounded, and no redirect is followed", async (t) => {
  let calls = 0;
  const port = await startServer(t, (request, response) => {
    calls++;
    if (request.url === "/moved") {
      response.writeHead(302, { location: "/other" }).end();
      return;
    }
    // It sends until the connection is closed.
    const more = () => {
      while (!response.destroyed && response.write("x".repeat(1000)));
    };
    response.on("drain", more);
    more();
  });
  const privateHosts = [`127.0.0.1:${port}`];
  const long = await callOutside(to(`http://127.0.0.1:${port}/long`, { privateHosts }));
  t.equal(long.kind === "answered" && long.isWhole, false);
  t.equal(long.kind === "answered" && long.body.length, 4096);
  t.match(await callOutside(to(`http://127.0.0.1:${port}/moved`, { privateHosts })), { kind: "answered", status: 302 });
  t.equal(calls, 2);
});

t.test("a call ends at its deadline and with its signal, whatever it waits for", async (t) => {
  const port = await startServer(t, (request, response) => {
    if (request.url === "/slow") response.writeHead(200).write("a");
  });
  const privateHosts = [`127.0.0.1:${port}`];
  const timedOut = { kind: "failed", reason: "ETIMEDOUT" };
  for (const path of ["hang", "slow"])
    t.match(await callOutside(to(`http://127.0.0.1:${port}/${path}`, { privateHosts, timeoutMs: 50 })), timedOut, path);
  const lookup = Promise.withResolvers<[]>();
  const unresolved = { timeoutMs: 50, resolve: () => lookup.promise };
  t.match(await callOutside(to("https://hooks.example.com/", unresolved)), timedOut);
  lookup.resolve([]);
  const gone = { privateHosts, signal: AbortSignal.abort() };
  t.match(await callOutside(to(`http://127.0.0.1:${port}/hang`, gone)), { kind: "failed" });
  t.match(await callOutside(to("http://127.0.0.1:1/", { privateHosts: ["127.0.0.1"] })), {
    kind: "failed",
    reason: "ECONNREFUSED",
  });
});
