import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, createServer, request as requestHttp } from "node:http";
import { type Http2ServerRequest, connect as connectHttp2, createSecureServer } from "node:http2";
import { request as requestHttps } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { buffer, json, text } from "node:stream/consumers";
import { type TLSSocket, connect as connectTls } from "node:tls";
import t from "tap";
import { sealEngineKey } from "../../src/contract/broker/engine-key.ts";
import { caCertificate, hostCertificate, interceptCa } from "../../src/contract/broker/intercept-ca.ts";
import { newPlaceholder } from "../../src/contract/broker/placeholder.ts";
import { ENGINE_KEY_HEADER, SECRET_NAMES_HEADER } from "../../src/contract/broker/secret-calls.ts";
import { serveTestBroker } from "../helpers/serve-test-broker.ts";
import { until } from "../helpers/until.ts";

const sealingKey = randomBytes(32);
const start = { engine: "eng_1", incarnation: "i1" };
const engineKey = sealEngineKey(sealingKey, start);
const VALUE = `value-${randomBytes(12).toString("hex")}`;
const BODY_VALUE = `body-${randomBytes(12).toString("hex")}`;

/** What the origin got. */
interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}
const seen: Seen[] = [];
const originCa = interceptCa(randomBytes(32), start);
const origin = createSecureServer(
  { ...hostCertificate(originCa, "127.0.0.1", Date.now()), allowHTTP1: true },
  (request, response) => {
    void buffer(request as NodeJS.ReadableStream).then((body) => {
      const { method = "", url = "", headers } = request as IncomingMessage | Http2ServerRequest;
      const one = { method, url, headers: { ...headers }, body: body.toString() };
      seen.push(one);
      response.writeHead(url === "/missing" ? 404 : 200, { "content-type": "application/json", "x-echo": VALUE });
      response.end(JSON.stringify({ ...one, known: VALUE }));
    });
  },
).listen(0, "127.0.0.1");
await once(origin, "listening");
const { port } = origin.address() as AddressInfo;
const authority = `127.0.0.1:${port}`;

const SECRETS: Readonly<Record<string, object>> = {
  API: { value: VALUE, hosts: [authority], place: "header", header: "Authorization", prefix: "Bearer " },
  FORM: { value: BODY_VALUE, hosts: [authority], place: "body", header: null, prefix: null },
  OTHER: { value: VALUE, hosts: ["api.example.com"], place: "header", header: "Authorization", prefix: null },
};
const misused: { name: string; misuse: string; host: string }[] = [];
const daemon = createServer((request, response) => {
  void json(request).then((asked) => {
    const question = asked as { name: string; misuse: string; host: string; engine: string };
    response.writeHead(200, { "content-type": "application/json" });
    if (request.url === "/broker/misused") {
      misused.push(question);
      response.end("{}");
      return;
    }
    const found = question.engine === start.engine ? SECRETS[question.name] : undefined;
    response.end(JSON.stringify({ secret: found === undefined ? null : { ...found, network: ["127.0.0.1"] } }));
  });
}).listen(0, "127.0.0.1");
t.teardown(() => origin.close());
const broker = await serveTestBroker(t, { sealingKey, daemon, originCa });

interface Opened {
  readonly status: number;
  readonly socket: Socket;
}
/** A tunnel of an engine's proxy. */
function tunnel(names: string, { key = engineKey, to = authority } = {}): Promise<Opened> {
  const headers = { ...(key !== "" && { [ENGINE_KEY_HEADER]: key }), [SECRET_NAMES_HEADER]: names };
  return new Promise((resolve, reject) => {
    const sent = requestHttp({ host: "127.0.0.1", port: broker.port, method: "CONNECT", path: to, headers });
    sent.once("connect", (answer, socket) => resolve({ status: answer.statusCode ?? 0, socket }));
    sent.on("error", reject).end();
  });
}

const trusted = caCertificate(interceptCa(sealingKey, start), Date.now());
/** As a program: TLS through the tunnel, with the authority of its engine. */
async function secure(names: string, protocols: readonly string[] = ["http/1.1"]): Promise<TLSSocket> {
  const { status, socket } = await tunnel(names);
  t.equal(status, 200);
  const secured = connectTls({ socket, ca: trusted, host: "127.0.0.1", ALPNProtocols: [...protocols] });
  await once(secured, "secureConnect");
  t.teardown(() => secured.destroy());
  return secured;
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: readonly string[];
}
async function overHttp1(names: string, path: string, { method = "GET", headers = {}, body = [] }: Sent = {}) {
  const socket = await secure(names);
  const sent = requestHttps({ createConnection: () => socket, method, path, headers: { host: authority, ...headers } });
  for (const part of body) {
    sent.write(part);
    await new Promise((resolve) => setImmediate(resolve));
  }
  sent.end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
}
async function overHttp2(names: string, path: string, { method = "GET", headers = {}, body = [] }: Sent = {}) {
  const socket = await secure(names, ["h2"]);
  t.equal(socket.alpnProtocol, "h2");
  const session = connectHttp2(`https://${authority}`, { createConnection: () => socket });
  const stream = session.request({ ":method": method, ":path": path, ...headers }, { endStream: body.length === 0 });
  for (const part of body) stream.write(part);
  if (body.length > 0) stream.end();
  const [answer] = (await once(stream, "response")) as [Record<string, string>];
  const received = await text(stream);
  session.close();
  return { status: Number(answer[":status"]), headers: answer, text: received };
}
const PROTOCOLS = { "HTTP/1.1": overHttp1, "HTTP/2": overHttp2 };
const placeholder = (name: string, key = engineKey) => newPlaceholder(key, name);

for (const [protocol, send] of Object.entries(PROTOCOLS)) {
  t.test(
    `by ${protocol}, a placeholder in a header becomes the value, and the answer has the placeholder again`,
    async (t) => {
      const headers = { authorization: `Bearer ${placeholder("API")}`, "x-own": "1" };
      const { status, text: body, headers: answered } = await send("API", "/v1?x=1", { headers });
      t.equal(status, 200);
      t.match(seen.at(-1), {
        method: "GET",
        url: "/v1?x=1",
        headers: { authorization: `Bearer ${VALUE}`, "x-own": "1" },
      });
      t.notMatch(body, VALUE);
      t.match(body, placeholder("API"));
      t.equal(answered["x-echo"], placeholder("API"));
    },
  );

  t.test(`by ${protocol}, a placeholder in a body is replaced across its parts`, async (t) => {
    const whole = `{"token":"${placeholder("FORM")}"}`;
    const body = [whole.slice(0, 15), whole.slice(15, 40), whole.slice(40)];
    const answer = await send("API,FORM", "/form", { method: "POST", body });
    t.equal(answer.status, 200);
    t.equal(seen.at(-1)?.body, `{"token":"${BODY_VALUE}"}`);
    t.notMatch(answer.text, BODY_VALUE);
  });

  t.test(`by ${protocol}, a request without a placeholder passes, and values are cut out of its answer`, async (t) => {
    const { status, text: body } = await send("API", "/missing");
    t.equal(status, 404);
    t.equal(seen.at(-1)?.headers["authorization"], undefined);
    t.notMatch(body, VALUE);
  });

  t.test(`attack: by ${protocol}, a placeholder of another engine, host or place`, async (t) => {
    const before = seen.length;
    const stranger = sealEngineKey(sealingKey, { engine: "eng_2", incarnation: "i" });
    for (const [headers, misuse] of [
      [{ authorization: `Bearer ${placeholder("API", stranger)}` }, "other engine"],
      [{ authorization: `Bearer ${placeholder("OTHER")}` }, "other host"],
      [{ "x-log": placeholder("API") }, "other place"],
    ] as const) {
      const answer = await send("API", "/", { headers });
      t.equal(answer.status, 403, misuse);
      t.notMatch(answer.text, VALUE);
      await until("the daemon is told", () => misused.at(-1)?.misuse === misuse);
    }
    t.equal(seen.length, before, "nothing was sent");
  });
}

t.test("attack: a path and a Host header that name another host", async (t) => {
  const headers = { authorization: `Bearer ${placeholder("API")}` };
  const before = seen.length;
  t.equal((await overHttp1("API", "//api.example.com/x", { headers })).status, 200);
  t.equal(seen.at(-1)?.url, "//api.example.com/x", "it is a path of this host");
  await overHttp1("API", "/y", { headers: { ...headers, host: "api.example.com" } });
  t.equal(seen.at(-1)?.headers.host, authority);
  t.equal(seen.length, before + 2);
  t.equal((await overHttp1("API", "https://api.example.com/", { headers })).status, 400);
});

t.test("attack: a tunnel without the key of an engine, or to a host of no secret", async (t) => {
  const status = async (names: string, more: { key?: string; to?: string } = {}) => {
    const opened = await tunnel(names, more);
    opened.socket.destroy();
    return opened.status;
  };
  t.equal(await status("API", { key: "" }), 401);
  t.equal(await status("API", { key: sealEngineKey(randomBytes(32), start) }), 401);
  t.equal(await status("API", { to: "127.0.0.1:22" }), 403);
  t.equal(await status("API", { to: "api.example.com:443" }), 403);
  t.equal(await status("MISSING"), 403);
  t.equal(await status(""), 400);
  t.equal(await status("API", { to: "127.0.0.1:1/x" }), 400);
  const other = sealEngineKey(sealingKey, { engine: "eng_2", incarnation: "i" });
  t.equal(await status("API", { key: other }), 403, "another engine has no such secret");
});

t.test("attack: an engine's authority is trusted by another engine's tools", async (t) => {
  const { socket } = await tunnel("API");
  const stranger = caCertificate(interceptCa(sealingKey, { ...start, engine: "eng_2" }), Date.now());
  const secured = connectTls({ socket, ca: stranger, host: "127.0.0.1" });
  const [error] = await once(secured, "error").catch((reason: unknown) => [reason]);
  t.match((error as Error).message, /certificate|signature/i);
});

t.test("many requests over one connection of HTTP/2, at once", async (t) => {
  const socket = await secure("API", ["h2"]);
  const session = connectHttp2(`https://${authority}`, { createConnection: () => socket });
  const answers = await Promise.all(
    Array.from({ length: 50 }, async (_, at) => {
      const stream = session.request({ ":path": `/n${at}`, authorization: `Bearer ${placeholder("API")}` });
      return JSON.parse(await text(stream)) as Seen;
    }),
  );
  t.same(
    answers.map(({ url }) => url),
    Array.from({ length: 50 }, (_, at) => `/n${at}`),
  );
  session.close();
});
