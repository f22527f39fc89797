import { once } from "node:events";
import { type Socket, createServer as createTcpServer } from "node:net";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import t from "tap";
import { until } from "../../helpers/until.ts";
import { PUBLIC, proxyBench, rawConnection, serve } from "./proxy-bench.ts";

const failed = (code: string) => Object.assign(new Error("no"), { code });

t.test("a request without the password of the proxy gets 407, and nothing is resolved", async (t) => {
  const { port, asked } = await proxyBench(t);
  for (const [target, header] of [
    ["GET http://a.example/", ""],
    ["GET http://a.example/", "Proxy-Authorization: Basic eDp5\r\n"],
    ["GET http://a.example/", "Proxy-Authorization: Bearer eDp5\r\n"],
    ["CONNECT a.example:443", ""],
    ["CONNECT a.example:443", "Proxy-Authorization: Basic !\r\n"],
    ["GET /", ""],
  ]) {
    const raw = await rawConnection(t, port, `${target} HTTP/1.1\r\nHost: a.example\r\n${header}\r\n`);
    const answer = await raw.comes(/HTTP_PROXY\n$/);
    t.match(answer, /^HTTP\/1\.1 407 /, `${target} ${header}`);
    t.match(answer, /Proxy-Authenticate: Basic/);
  }
  t.same(asked, []);
});

t.test("a request goes on with the host of its URL and without the headers of the connection", async (t) => {
  const { port, authorization, asked } = await proxyBench(t);
  const headers: (readonly string[])[] = [];
  const origin = await serve(t, (request, response) => {
    headers.push(request.rawHeaders);
    response.setHeader("X-Keep", "yes");
    response.setHeader("Connection", "X-Hop");
    response.setHeader("X-Hop", "no");
    response.end("hello");
  });
  const raw = await rawConnection(
    t,
    port,
    [
      `GET http://Shop.Example:${origin.port}/a/../b?q=%41#x HTTP/1.1`,
      "Host: other.example",
      "Host: third.example",
      `Proxy-Authorization: ${authorization}`,
      "Proxy-Connection: keep-alive",
      "Connection: keep-alive, X-Mine",
      "X-Mine: secret",
      "Keep-Alive: timeout=5",
      "TE: trailers",
      "Upgrade: h2c",
      "X-Other: kept",
      "\r\n",
    ].join("\r\n"),
  );
  const answer = await raw.comes(/hello/);
  t.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
  t.match(answer, /X-Keep: yes/);
  t.notMatch(answer, /X-Hop/);
  t.same(origin.seen, [`GET shop.example:${origin.port}/a/../b?q=%41`]);
  t.same(headers, [["Host", `shop.example:${origin.port}`, "X-Other", "kept", "Connection", "close"]]);
  t.same(asked, ["shop.example"]);
});

t.test("requests on one connection go to their own hosts, bodies whole", async (t) => {
  const { port, authorization } = await proxyBench(t);
  const origin = await serve(t, async (request, response) => {
    const body = await text(request);
    response.end(
      `<${request.method} ${request.headers.host?.split(":")[0]} ${body.length} ${request.headers["transfer-encoding"]}>`,
    );
  });
  const inner = "GET http://evil.example/ HTTP/1.1\r\nHost: x\r\n\r\n";
  const chunk = (content: string) => `${content.length.toString(16)}\r\n${content}\r\n`;
  const request = (method: string, host: string, more: string) =>
    `${method} http://${host}:${origin.port}/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${authorization}\r\n${more}`;
  const raw = await rawConnection(
    t,
    port,
    [
      request("POST", "a.example", "Content-Length: 5\r\n\r\n12345"),
      request("POST", "b.example", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
      request("GET", "c.example", `Transfer-Encoding: chunked\r\n\r\n${chunk(inner)}0\r\n\r\n`),
      request("POST", "d.example", "Connection: Content-Length\r\nContent-Length: 2\r\n\r\nok"),
      request("PUT", "e.example", "\r\n"),
      request("HEAD", "f.example", "\r\n"),
      request("GET", "g.example", "\r\n"),
    ].join(""),
  );
  const answer = await raw.comes(/<GET g/);
  t.same(
    [...answer.matchAll(/<([^>]+)>/g)].map(([, found]) => found),
    [
      "POST a.example 5 undefined",
      "POST b.example 3 chunked",
      `GET c.example ${inner.length} chunked`,
      "POST d.example 2 undefined",
      "PUT e.example 0 undefined",
      "GET g.example 0 undefined",
    ],
  );
  t.equal(origin.seen.length, 7);
});

t.test("a tunnel passes bytes both ways, also after one side has ended", async (t) => {
  const { port, authorization, network, log } = await proxyBench(t);
  const origin = createTcpServer({ allowHalfOpen: true }, (socket) => {
    let got = "";
    socket.on("data", (chunk: Buffer) => (got += chunk.toString()));
    socket.on("end", () => socket.end(`got ${got}`));
  }).listen(0, PUBLIC);
  await once(origin, "listening");
  t.teardown(() => origin.close());
  const { port: originPort } = origin.address() as AddressInfo;
  const head = `CONNECT a.example:${originPort} HTTP/1.1\r\nHost: a\r\nProxy-Authorization: ${authorization}\r\n\r\nearly `;
  const raw = await rawConnection(t, port, head);
  t.match(await raw.comes(/\r\n\r\n/), /^HTTP\/1\.1 200 /);
  raw.socket.end("late");
  t.match(await raw.closed(), /got early late$/);
  await network.close();
  const total = log.map((line) => JSON.parse(line)).find(({ msg }) => msg === "reported traffic of programs");
  t.match(total, { hosts: [{ host: "a.example", connections: 1, sent: 10, received: 14 }], other_connections: 0 });
});

t.test("a refusal says which host and why, to each kind of request, and is logged without its path", async (t) => {
  const { port, authorization, network, asked, log } = await proxyBench(t, { policy: ["shop.example"] });
  const mark = network.traffic.mark();
  const authorized = `Host: x\r\nProxy-Authorization: ${authorization}\r\n`;
  for (const request of [
    `GET http://other.example/secret-path HTTP/1.1\r\n${authorized}\r\n`,
    `CONNECT other.example:443 HTTP/1.1\r\n${authorized}\r\n`,
    `GET http://other.example/secret-path HTTP/1.1\r\n${authorized}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    `POST http://other.example/secret-path HTTP/1.1\r\n${authorized}Content-Length: 3\r\n\r\nabc`,
  ]) {
    const raw = await rawConnection(t, port, request);
    const answer = await raw.comes(/list it\n/);
    t.match(answer, /^HTTP\/1\.1 403 Forbidden by tool_network\r\n/, request);
    t.match(answer, /other\.example:\d+ is refused: the policy field tool_network does not list it/);
  }
  t.same(asked, []);
  t.same(network.traffic.refusedSince(mark), [
    "other.example:443 is refused: the policy field tool_network does not list it",
    "other.example:80 is refused: the policy field tool_network does not list it",
  ]);
  const lines = log.filter((line) => line.includes("refused a connection of a program"));
  t.equal(lines.length, 2, "each host and port once");
  t.match(lines[0], /"host":"other\.example"/);
  t.notMatch(log.join(""), /secret-path|abc/);
});

t.test("no spelling of a private address passes", async (t) => {
  const inside = await serve(t, (_request, response) => response.end("secret"), "127.0.0.1");
  const { port, authorization } = await proxyBench(t, {
    names: { localhost: [["127.0.0.1"]], "inside.example": [["127.0.0.1"]], "mixed.example": [[PUBLIC, "127.0.0.1"]] },
  });
  for (const host of [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "0.0.0.0",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "localhost.",
    "inside.example",
    "mixed.example",
    "169.254.169.254",
  ]) {
    for (const start of [`CONNECT ${host}:${inside.port}`, `GET http://${host}:${inside.port}/`]) {
      const raw = await rawConnection(
        t,
        port,
        `${start} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${authorization}\r\n\r\n`,
      );
      t.match(await raw.comes(/\n$/), /^HTTP\/1\.1 403 .*is refused/s, start);
    }
  }
  t.same(inside.seen, []);
});

t.test("DNS rebinding is not possible: a connection goes to the address that was checked", async (t) => {
  const inside = await serve(t, (_request, response) => response.end("secret"), "127.0.0.1");
  const { port, authorization, asked } = await proxyBench(t, {
    names: { "rebind.example": [[PUBLIC], ["127.0.0.1"]] },
  });
  const request = `GET http://rebind.example:${inside.port}/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${authorization}\r\n\r\n`;
  const raw = await rawConnection(t, port, request);
  t.match(await raw.comes(/\n$/), /^HTTP\/1\.1 502 .*it refuses the connection/s);
  t.same(asked, ["rebind.example"]);
  raw.socket.write(request);
  t.match(await raw.comes(/is refused/), /403 Forbidden/, "and a second connection is checked again");
  t.same(inside.seen, []);
});

t.test("a request that is not one for a proxy gets 400", async (t) => {
  const { port, authorization, asked } = await proxyBench(t);
  const authorized = `Host: x\r\nProxy-Authorization: ${authorization}\r\n`;
  for (const start of [
    "GET /",
    "GET *",
    "GET https://a.example/",
    "GET ftp://a.example/",
    "GET http://user:password@a.example/",
    "GET http://a.example:0/",
    "GET http://a.example:65536/",
    "GET http:///",
    "CONNECT a.example",
    "CONNECT a.example:0",
    "CONNECT a.example:65536",
    "CONNECT a.example:443:443",
    "CONNECT user@a.example:443",
    "CONNECT a%2eexample:443",
    "CONNECT [fe80::1%25eth0]:443",
    "CONNECT :443",
    "CONNECT http://a.example:443/",
  ]) {
    const raw = await rawConnection(t, port, `${start} HTTP/1.1\r\n${authorized}\r\n`);
    t.match(await raw.comes(/\n$/), /^HTTP\/1\.1 400 /, start);
  }
  t.same(asked, []);
});

t.test("a request whose end is ambiguous is refused whole", async (t) => {
  const { port, authorization } = await proxyBench(t);
  const origin = await serve(t, (_request, response) => response.end("fine"));
  const smuggled = `0\r\n\r\nGET http://a.example:${origin.port}/smuggled HTTP/1.1\r\nHost: x\r\n\r\n`;
  for (const framing of [
    "Content-Length: 5\r\nTransfer-Encoding: chunked",
    "Content-Length: 5\r\nContent-Length: 6",
    "Transfer-Encoding: chunked, identity",
    "Transfer-Encoding : chunked",
    "Content-Length: +5",
    "Content-Length: 5\r\n folded",
    "X: a\nY: b\r\nContent-Length: 0x5",
  ]) {
    const raw = await rawConnection(
      t,
      port,
      `POST http://a.example:${origin.port}/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${authorization}\r\n${framing}\r\n\r\n${smuggled}`,
    );
    t.match(await raw.closed(), /^HTTP\/1\.1 400 /, framing);
  }
  t.same(origin.seen, []);
});

t.test("headers have a bound, and so have connections at once", async (t) => {
  const { port, authorization } = await proxyBench(t, { limits: { maxConnections: 1 } });
  const authorized = `Host: x\r\nProxy-Authorization: ${authorization}\r\n`;
  const big = await rawConnection(
    t,
    port,
    `GET http://a.example/ HTTP/1.1\r\n${authorized}X: ${"x".repeat(40_000)}\r\n\r\n`,
  );
  t.match(await big.closed(), /^HTTP\/1\.1 431 /);
  const origin = await serve(t, () => undefined);
  const first = await rawConnection(t, port, `CONNECT a.example:${origin.port} HTTP/1.1\r\n${authorized}\r\n`);
  await first.comes(/200/);
  const request = `CONNECT b.example:${origin.port} HTTP/1.1\r\n${authorized}\r\n`;
  const second = await rawConnection(t, port, request);
  t.match(await second.closed(), /^HTTP\/1\.1 503 .*too many connections/s);
  first.socket.destroy();
  await until("the place is free", async () =>
    (await (await rawConnection(t, port, request)).comes(/\n$/)).includes(" 200 "),
  );
});

t.test("a host that cannot be reached is said, and the next request passes", async (t) => {
  const { port, authorization } = await proxyBench(t, {
    names: {
      "nowhere.example": [failed("ENOTFOUND")],
      "later.example": [failed("EAI_AGAIN")],
      "slow.example": [failed("ETIMEDOUT")],
    },
  });
  const origin = await serve(t, (_request, response) => response.end("fine"));
  const authorized = `Host: x\r\nProxy-Authorization: ${authorization}\r\n`;
  for (const [start, words] of [
    ["GET http://nowhere.example/", /502 Bad Gateway.*nowhere\.example: its name does not resolve\n$/s],
    ["CONNECT later.example:443", /502 Bad Gateway.*its name cannot be resolved now\n$/s],
    ["CONNECT slow.example:443", /504 Gateway Timeout.*slow\.example does not answer in time\n$/s],
    ["GET http://a.example:1/", /502 Bad Gateway.*a\.example: it refuses the connection\n$/s],
    [`GET http://a.example:${origin.port}/`, /200 OK.*fine/s],
  ] as const) {
    const raw = await rawConnection(t, port, `${start} HTTP/1.1\r\n${authorized}\r\n`);
    t.match(await raw.comes(/\n$|fine/), words, start);
  }
});

t.test("an answer that breaks off does not look whole, and an invalid one is said", async (t) => {
  const { port, authorization } = await proxyBench(t);
  const answers = ["HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart", "no HTTP at all\r\n\r\n", ""];
  const origin = createTcpServer((socket: Socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(answers.shift() ?? ""));
  }).listen(0, PUBLIC);
  await once(origin, "listening");
  t.teardown(() => origin.close());
  const { port: originPort } = origin.address() as AddressInfo;
  const request = `GET http://a.example:${originPort}/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${authorization}\r\n\r\n`;
  const partial = await (await rawConnection(t, port, request)).closed();
  t.match(partial, /Content-Length: 100/, "the client sees that bytes are missing");
  t.match(await (await rawConnection(t, port, request)).comes(/\n$/), /^HTTP\/1\.1 502 /);
  t.match(await (await rawConnection(t, port, request)).comes(/\n$/), /^HTTP\/1\.1 502 .*closed the connection/s);
});

t.test("a WebSocket passes, and an answer without an upgrade too", async (t) => {
  const { port, authorization } = await proxyBench(t);
  const origin = await serve(t, (_request, response) => response.writeHead(401).end("who are you"));
  origin.server.on("upgrade", (request, socket: Socket) => {
    if (request.url !== "/ws") return socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone");
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Accept: 1\r\n\r\nfirst ",
    );
    return socket.pipe(socket);
  });
  const request = (path: string) =>
    `GET http://a.example:${origin.port}${path} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${authorization}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: k\r\n\r\n`;
  const raw = await rawConnection(t, port, `${request("/ws")}early `);
  t.match(
    await raw.comes(/first /),
    /^HTTP\/1\.1 101 Switching Protocols\r\nX-Accept: 1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n/,
  );
  raw.socket.write("echo");
  t.match(await raw.comes(/echo/), /first early echo$/);
  t.match(await (await rawConnection(t, port, request("/other"))).closed(), /^HTTP\/1\.1 404 Not Found\r\n.*gone$/s);
});

t.test("an unrequested upgrade is an error", async (t) => {
  const { port, authorization } = await proxyBench(t);
  const origin = createTcpServer((socket) => {
    socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n");
  });
  origin.listen(0, "127.0.0.1");
  await once(origin, "listening");
  t.teardown(() => origin.close());
  const { port: originPort } = origin.address() as AddressInfo;
  const request = `GET http://a.example:${originPort}/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${authorization}\r\n\r\n`;
  t.match(await (await rawConnection(t, port, request)).comes(/\n$/), /^HTTP\/1\.1 502 /);
});

t.test("an idle connection ends", async (t) => {
  const { port, authorization } = await proxyBench(t, { limits: { idleMs: 100 } });
  const origin = await serve(t, () => undefined);
  const raw = await rawConnection(
    t,
    port,
    `CONNECT a.example:${origin.port} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${authorization}\r\n\r\n`,
  );
  t.match(await raw.closed(), /^HTTP\/1\.1 200 /);
});

t.test("the proxy opens with the first use, and closes with the engine and all its connections", async (t) => {
  const { network, port, authorization } = await proxyBench(t);
  const origin = await serve(t, () => undefined);
  const tunnel = await rawConnection(
    t,
    port,
    `CONNECT a.example:${origin.port} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${authorization}\r\n\r\n`,
  );
  await tunnel.comes(/200/);
  const waiting = await rawConnection(t, port, "GET ");
  await network.close();
  await Promise.all([tunnel.closed(), waiting.closed()]);
  await t.rejects(rawConnection(t, port), { code: "ECONNREFUSED" });
  await t.rejects(network.access(), /the engine stops/);
});

t.test("each use has a password of its own, and its own rules", async (t) => {
  const { network, port } = await proxyBench(t, { policy: ["a.example", "b.example"] });
  const origin = await serve(t, (_request, response) => response.end("fine"));
  const statusFor = async (asked: readonly string[] | "open", host: string) => {
    const { environment, proxyPort } = await network.access(asked);
    t.equal(proxyPort, port);
    const { username, password } = new URL(environment["HTTPS_PROXY"] ?? "");
    const authorization = Buffer.from(`${username}:${password}`).toString("base64");
    const start = `GET http://${host}:${origin.port}/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic ${authorization}`;
    const raw = await rawConnection(t, port, `${start}\r\n\r\n`);
    return (await raw.comes(/fine|\n$/)).slice(9, 12);
  };
  t.equal(await statusFor("open", "b.example"), "200");
  t.equal(await statusFor(["a.example"], "a.example"), "200");
  t.equal(await statusFor(["a.example"], "b.example"), "403");
  t.equal(await statusFor(["c.example"], "c.example"), "403");
  t.same(await network.access("none"), { proxyPort: null, environment: {} });
  await t.rejects(network.access(["http://a.example"]), /sandbox\.network: expected a host/);
});
