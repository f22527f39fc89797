import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, createServer, request as requestHttp } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { type AddressInfo, type Socket, connect, createServer as createTcpServer } from "node:net";
import { buffer, json, text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { gzipSync } from "node:zlib";
import t, { type Test } from "tap";
import { sealEngineKey } from "../../src/contract/broker/engine-key.ts";
import { caCertificate, hostCertificate, interceptCa } from "../../src/contract/broker/intercept-ca.ts";
import { newPlaceholder } from "../../src/contract/broker/placeholder.ts";
import {
  ENGINE_KEY_HEADER,
  SECRET_CALL_PATH,
  SECRET_HEADER,
  SECRET_NAMES_HEADER,
  SECRET_TARGET_HEADER,
  encodeUrl,
} from "../../src/contract/broker/secret-calls.ts";
import { startTestBroker } from "../helpers/model-broker.ts";
import { startRawOrigin } from "../helpers/raw-origin.ts";
import { serveTestBroker } from "../helpers/serve-test-broker.ts";

/** Each title is an attack of a tool, or of a host that tools call. None of them succeeds. */
const sealingKey = randomBytes(32);
const start = { engine: "eng_1", incarnation: "i1" };
const engineKey = sealEngineKey(sealingKey, start);
const placeholder = newPlaceholder(engineKey, "API");
const VALUE = `value-${randomBytes(12).toString("hex")}`;
const originCa = interceptCa(randomBytes(32), start);

/** Raw answers by path. Others are 200. */
const answers: Record<string, string | Buffer> = {};
const plain = (head: string, body = "ok") => `HTTP/1.1 200 OK\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`;
const origin = await startRawOrigin(t, hostCertificate(originCa, "127.0.0.1", Date.now()), (request) => {
  const [, path = ""] = /^\S+ (\S+) /.exec(request) ?? [];
  return answers[path] ?? plain("");
});
const daemon = createServer((request, response) => {
  void json(request).then(() => {
    const carrier = { place: "header", header: "Authorization", prefix: "Bearer " };
    const secret = { value: VALUE, hosts: [origin.authority], ...carrier, network: ["127.0.0.1"] };
    response.end(JSON.stringify({ secret }));
  });
}).listen(0, "127.0.0.1");
const { port } = await serveTestBroker(t, { sealingKey, daemon, originCa });

/** A call of a tool, as the engine's proxy makes it. */
async function call(path: string, headers: Readonly<Record<string, string>> = {}, target?: string) {
  const sent = requestHttp({
    port,
    path: SECRET_CALL_PATH,
    headers: {
      [ENGINE_KEY_HEADER]: engineKey,
      [SECRET_TARGET_HEADER]: encodeUrl(target ?? `https://${origin.authority}${path}`),
      [SECRET_HEADER]: placeholder,
      ...headers,
    },
  }).end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  const body = await buffer(answer).catch(() => Buffer.from("cut"));
  return {
    status: answer.statusCode,
    message: answer.statusMessage,
    raw: answer.rawHeaders,
    text: body.toString("latin1"),
  };
}

/** The same of a program with HTTP/2, whose TLS the broker ends. */
async function overHttp2(t: Test, headers: Readonly<Record<string, string>>) {
  const connectTo = { [ENGINE_KEY_HEADER]: engineKey, [SECRET_NAMES_HEADER]: "API" };
  const asked = requestHttp({ port, method: "CONNECT", path: origin.authority, headers: connectTo }).end();
  const [, socket] = (await once(asked, "connect")) as [IncomingMessage, Socket];
  const ca = caCertificate(interceptCa(sealingKey, start), Date.now());
  const secured = connectTls({ socket, ca, host: "127.0.0.1", ALPNProtocols: ["h2"] });
  await once(secured, "secureConnect");
  const session = connectHttp2(`https://${origin.authority}`, { createConnection: () => secured });
  t.teardown(() => session.destroy());
  const stream = session.request({ ":method": "GET", authorization: `Bearer ${placeholder}`, ...headers });
  const [answer] = (await once(stream, "response")) as [Record<string, unknown>];
  return { status: answer[":status"], headers: answer, text: await text(stream) };
}

/** What the broker answers to bytes. */
async function raw(bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(bytes, "latin1");
  return (await buffer(socket)).toString("latin1");
}

const isAlive = async () => (await fetch(`http://127.0.0.1:${port}/health`)).status === 200;

t.test("a host that sends a header twice to a program with HTTP/2 ends the broker", async (t) => {
  answers["/twice"] = plain(
    "Content-Type: text/plain\r\nContent-Type: text/html\r\nETag: 1\r\nETag: 2\r\nX-A: 1\r\nX-A: 2\r\n",
  );
  t.match(await overHttp2(t, { ":path": "/twice" }), { status: 200, text: "ok", headers: { "x-a": "1, 2" } });
  t.ok(await isAlive());
});

t.test("a host that sends headers of a connection to a program with HTTP/2 ends the broker", async (t) => {
  answers["/hop"] = plain(
    "Proxy-Connection: keep-alive\r\nHTTP2-Settings: x\r\nKeep-Alive: 1\r\nUpgrade: h3\r\nTE: x\r\n",
  );
  t.match(await overHttp2(t, { ":path": "/hop" }), { status: 200, text: "ok" });
  t.ok(await isAlive());
});

t.test("a program with HTTP/2 sends what HTTP/1.1 cannot carry, which ends the broker", async (t) => {
  t.match(await overHttp2(t, { ":path": "/", "x-odd": "caf\u00e9" }), { status: 200 });
  for (const odd of [{ ":method": "G\u00e9T" }, { "x-odd": "\u20ac" }, { ":path": "/\u20ac" }]) {
    await overHttp2(t, { ":path": "/", ...odd }).catch(() => undefined);
    t.ok(await isAlive(), JSON.stringify(odd));
  }
});

t.test("a host echoes the value as the name of a header", async (t) => {
  answers["/name"] = plain(`${VALUE}: 1\r\nX-${VALUE}-Y: 1\r\nX-Known: 1\r\n`);
  const answer = await call("/name");
  t.match(answer, { status: 200, text: "ok" });
  t.notMatch(JSON.stringify(answer), VALUE);
  t.ok(answer.raw.includes("X-Known"));
});

t.test(
  "a host echoes the value in its reason, in trailers, in the extension of a chunk and before its answer",
  async (t) => {
    const head = `HTTP/1.1 103 Early Hints\r\nLink: ${VALUE}\r\n\r\nHTTP/1.1 200 ${VALUE}\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n`;
    answers["/echo"] = `${head}2;x=${VALUE}\r\nok\r\n0;y=${VALUE}\r\nX-T: ${VALUE}\r\n\r\n`;
    const answer = await call("/echo");
    t.match(answer, { status: 200, message: placeholder, text: "ok" });
    t.notMatch(JSON.stringify(answer), VALUE);
  },
);

t.test("a tool asks for the value piece by piece, by ranges of a page that echoes it", async (t) => {
  await call("/part", { range: "bytes=0-3", "if-range": '"1"' });
  t.notMatch(origin.received.at(-1), /range/i);
});

t.test("a host answers with a bomb: gzip in gzip, and a gigabyte of zeros", async (t) => {
  const zeros = gzipSync(Buffer.alloc(64 * 1024 ** 2));
  const gzip = (encoding: string, body: Buffer) =>
    Buffer.concat([
      Buffer.from(`HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n\r\n`),
      body,
    ]);
  answers["/twofold"] = gzip("gzip, gzip", gzipSync(zeros));
  t.match(await call("/twofold"), { status: 502, text: /unknown encoding|cannot be reached/ });
  answers["/zeros"] = gzip("gzip", zeros);
  const sent = requestHttp({
    port,
    path: SECRET_CALL_PATH,
    headers: {
      [ENGINE_KEY_HEADER]: engineKey,
      [SECRET_TARGET_HEADER]: encodeUrl(`https://${origin.authority}/zeros`),
      [SECRET_HEADER]: placeholder,
    },
  }).end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  const before = process.memoryUsage.rss();
  // A reader that does not read holds the rest back.
  await once(answer, "readable");
  t.ok(await isAlive());
  t.ok(process.memoryUsage.rss() - before < 32 * 1024 ** 2, "it is decoded as it is read");
  answer.destroy();
});

t.test("a host answers with statuses, headers and framing that are none", async (t) => {
  const odd = {
    "/099": "HTTP/1.1 099 Low\r\n\r\n",
    "/101": "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nraw",
    "/both": "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "/huge": plain(`X-Huge: ${"x".repeat(200_000)}\r\n`),
    "/fold": plain("X-Fold: a\r\n b\r\n"),
    "/zero": plain("X-Zero: a\0b\r\n"),
    "/none": "",
  };
  for (const [path, bytes] of Object.entries(odd)) {
    answers[path] = bytes;
    t.match(await call(path), { status: 502 }, path);
  }
  t.ok(await isAlive());
});

t.test("a tool smuggles a second request behind its own", async (t) => {
  const target = encodeUrl(`https://${origin.authority}/one`);
  const head = `POST ${SECRET_CALL_PATH} HTTP/1.1\r\nhost: b\r\n${ENGINE_KEY_HEADER}: ${engineKey}\r\n${SECRET_TARGET_HEADER}: ${target}\r\n${SECRET_HEADER}: ${placeholder}\r\n`;
  const before = origin.received.length;
  for (const framing of [
    "content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /two HTTP/1.1\r\n\r\n",
    "content-length: 4\r\ncontent-length: 40\r\n\r\nbodyGET /two HTTP/1.1\r\n\r\n",
    "transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n\r\n0\r\n\r\nGET /two HTTP/1.1\r\n\r\n",
    "transfer-encoding : chunked\r\n\r\n0\r\n\r\nGET /two HTTP/1.1\r\n\r\n",
  ])
    t.match(await raw(head + framing), /^HTTP\/1.1 400/, framing);
  t.equal(origin.received.length, before, "the host got none of them");
});

t.test(
  "a tool names another host: in Host, in an absolute form, as credentials, by number and with a zone",
  async (t) => {
    await call("/named", { host: "evil.example.com", "x-forwarded-host": "evil.example.com" });
    t.match(origin.received.at(-1), new RegExp(`\r\nhost: ${origin.authority}\r\n`));
    const before = origin.received.length;
    const wrong = [
      `https://${origin.authority}@evil.example.com/`,
      "https://2130706433/",
      "https://0x7f.1/",
      "https://127.1/",
      "https://[::ffff:127.0.0.1]/",
      "https://[fe80::1%25lo]/",
      `https://${origin.authority}.evil.example.com/`,
      "https:evil.example.com",
      "",
    ];
    for (const target of wrong)
      t.match(await call("", {}, target === "" ? "x" : target), { status: /^40[03]$/ }, target);
    t.match(
      await raw(`GET http://${origin.authority}${SECRET_CALL_PATH} HTTP/1.1\r\nhost: b\r\nconnection: close\r\n\r\n`),
      /^HTTP\/1.1 401/,
    );
    t.equal(origin.received.length, before);
  },
);

t.test("a tool opens a tunnel to another host, or through a call", async (t) => {
  const connectTo = (to: string) =>
    raw(
      `CONNECT ${to} HTTP/1.1\r\nhost: b\r\n${ENGINE_KEY_HEADER}: ${engineKey}\r\n${SECRET_NAMES_HEADER}: API\r\nconnection: close\r\n\r\n`,
    );
  for (const to of ["evil.example.com:443", `${origin.authority}@evil.example.com:443`, "2130706433:1", "[::1]:1"])
    t.match(await connectTo(to), /^HTTP\/1.1 403/, to);
  t.match(await connectTo(`${origin.authority}/x`), /^HTTP\/1.1 400/);
});

t.test("a provider answers a model call with 101, and never ends it", async (t) => {
  const provider = createTcpServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.on("data", () =>
      socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"),
    );
  }).listen(0, "127.0.0.1");
  await once(provider, "listening");
  t.teardown(() => provider.close());
  const broker = await startTestBroker(t);
  const baseUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const headers = { authorization: `Bearer ${broker.keyFor({ provider: "openai", baseUrl })}` };
  const answer = await fetch(`${broker.url}/responses`, { method: "POST", body: "{}", headers });
  t.equal(answer.status, 502);
  t.match(broker.counts.report().calls, { "openai unreachable": 1 });
});
