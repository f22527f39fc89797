import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, type OutgoingHttpHeaders, createServer, request as requestHttp } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { brotliCompressSync, gzipSync } from "node:zlib";
import root, { type Test } from "tap";
import { CallCounts } from "../../src/broker/call-counts.ts";
import { OpenCalls } from "../../src/broker/open-calls.ts";
import { OutgoingCalls } from "../../src/broker/outgoing-calls.ts";
import type { Secret } from "../../src/broker/secret-forms.ts";
import { trustCertificates } from "../../src/broker/trust-certificates.ts";
import { sealEngineKey } from "../../src/contract/broker/engine-key.ts";
import { newPlaceholder } from "../../src/contract/broker/placeholder.ts";
import type { QuestionName } from "../../src/contract/broker/questions.ts";
import {
  ENGINE_KEY_HEADER,
  SECRET_CALL_PATH,
  SECRET_HEADER,
  SECRET_TARGET_HEADER,
  encodeUrl,
} from "../../src/contract/broker/secret-calls.ts";
import { ORIGIN_CA, type OriginRequest, startOrigin } from "../helpers/secret-origin.ts";
import { until } from "../helpers/until.ts";

const VALUE = 'val+ue/of"the=secret';
const chunked = (body: string, size: number) =>
  Array.from({ length: Math.ceil(body.length / size) }, (_, at) => body.slice(at * size, (at + 1) * size));

/** What the origin sends back: everything that it has received, in the form that the path names. */
const echo = (received: OriginRequest) => JSON.stringify(received);
const origin = await startOrigin(root, {
  answer(request, response, received) {
    const { authorization = "" } = received.headers;
    const path = request.url.split("?")[0] ?? "";
    if (path === "/echo") response.end(echo(received));
    else if (path === "/error") response.writeHead(500, { "x-echo": authorization }).end(`failed: ${echo(received)}`);
    else if (path === "/gzip") response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(echo(received)));
    else if (path === "/br")
      response.writeHead(200, { "content-encoding": "br" }).end(brotliCompressSync(echo(received)));
    else if (path === "/unknown") response.writeHead(200, { "content-encoding": "own" }).end("?");
    else if (path === "/redirect") response.writeHead(302, { location: String(received.headers["x-to"]) }).end();
    else if (path === "/chunks") {
      for (const part of chunked(`before ${authorization} after`, 3)) response.write(part);
      response.end();
    } else if (path === "/event") response.write(`data: ${authorization}\n\n`);
    else response.end("ok");
  },
});
const other = await startOrigin(root);
const secret = (more: Partial<Secret> = {}): Secret => ({
  value: VALUE,
  hosts: [origin.host],
  place: "header",
  header: "Authorization",
  prefix: "Bearer ",
  network: ["127.0.0.1", "localhost"],
  ...more,
});
const secrets = new Map<string, Secret>([
  ["TOKEN", secret()],
  ["BASIC", secret({ place: "basic", header: null, prefix: "alice" })],
  ["QUERY", secret({ place: "query", header: "key", prefix: null })],
  ["BODY", secret({ place: "body", header: null, prefix: null })],
  ["ELSEWHERE", secret({ hosts: [other.host] })],
  ["SHUT", secret({ network: "none" })],
  ["PUBLIC", secret({ network: "open" })],
]);
const asked: { name: QuestionName; given: Record<string, unknown> }[] = [];
const road = {
  ask: async (name: QuestionName, given: object) => {
    asked.push({ name, given: given as Record<string, unknown> });
    const of = (given as { name?: string }).name ?? "";
    return (name === "secret" ? { secret: secrets.get(of) ?? null } : {}) as never;
  },
};
const sealingKey = randomBytes(32);
const counts = new CallCounts();
const calls = new OutgoingCalls({
  sealingKey,
  road,
  addresses: { of: async () => [] },
  counts,
  prepareTls: () => trustCertificates(ORIGIN_CA),
  log: () => undefined,
  open: new OpenCalls(),
});
const server = createServer((request, response) => void calls.answer(request, response)).listen(0, "127.0.0.1");
await once(server, "listening");
root.teardown(() => (server.closeAllConnections(), server.close()));
const { port } = server.address() as AddressInfo;
const key = sealEngineKey(sealingKey, { engine: "eng_1", incarnation: "i" });
const anotherKey = sealEngineKey(sealingKey, { engine: "eng_2", incarnation: "i" });
const placeholder = (name: string, of = key) => newPlaceholder(of, name);

interface Sent {
  readonly target?: string;
  readonly phantom?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly method?: string;
  readonly parts?: readonly string[];
  readonly length?: number;
  readonly engineKey?: string | null;
}

function open({ target = `${origin.url}/echo`, phantom, headers, method, parts, length, engineKey = key }: Sent) {
  const call = requestHttp({
    port,
    path: SECRET_CALL_PATH,
    method: method ?? (parts === undefined ? "GET" : "POST"),
    headers: {
      ...(engineKey !== null && { [ENGINE_KEY_HEADER]: engineKey }),
      [SECRET_TARGET_HEADER]: encodeUrl(target),
      ...(phantom !== undefined && { [SECRET_HEADER]: phantom }),
      ...(length !== undefined && { "content-length": length }),
      ...headers,
    },
  });
  return call;
}

async function send(sent: Sent) {
  const call = open(sent);
  const answered = once(call, "response") as Promise<[IncomingMessage]>;
  for (const part of sent.parts ?? []) {
    call.write(part);
    await new Promise((resolve) => setImmediate(resolve));
  }
  call.end();
  const [response] = await answered;
  const body = (await buffer(response)).toString("latin1");
  return { status: response.statusCode, headers: response.headers, body };
}
const last = () => origin.requests.at(-1);
const misuses = () => asked.flatMap(({ name, given }) => (name === "misused" ? [given["misuse"]] : []));
async function refused(t: Test, sent: Sent, misuse: string) {
  const [before, told] = [origin.requests.length + other.requests.length, misuses().length];
  const answer = await send(sent);
  t.equal(answer.status, 403, answer.body);
  t.notMatch(answer.body, VALUE);
  t.equal(origin.requests.length + other.requests.length, before, "nothing was sent");
  await until("the daemon is told", () => misuses().length > told);
  t.equal(misuses().at(-1), misuse);
}

root.test("a value takes its placeholder's place: header, basic, query, body, and by the phantom alone", async (t) => {
  await send({ headers: { authorization: `Bearer ${placeholder("TOKEN")}` } });
  t.equal(last()?.headers.authorization, `Bearer ${VALUE}`);
  await send({ phantom: placeholder("TOKEN"), headers: { authorization: "Bearer of the tool" } });
  t.equal(last()?.headers.authorization, `Bearer ${VALUE}`);
  const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  await send({ headers: { authorization: basic("bob", placeholder("BASIC")) } });
  t.equal(last()?.headers.authorization, basic("bob", VALUE));
  await send({ phantom: placeholder("BASIC") });
  t.equal(last()?.headers.authorization, basic("alice", VALUE));
  await send({ headers: { authorization: basic("x", placeholder("TOKEN")) } });
  t.equal(last()?.headers.authorization, basic("x", VALUE), "a bearer token is the password of git too");
  await send({ target: `${origin.url}/echo?a=1&key=${placeholder("QUERY")}` });
  t.equal(new URL(last()?.url ?? "", origin.url).searchParams.get("key"), VALUE);
  await send({ target: `${origin.url}/echo?a=1`, phantom: placeholder("QUERY") });
  t.equal(new URL(last()?.url ?? "", origin.url).searchParams.get("key"), VALUE);
  await send({ phantom: placeholder("BODY"), parts: [`{"password":"${placeholder("BODY")}"}`] });
  t.equal(last()?.body, `{"password":"${VALUE}"}`);
  t.match(last()?.headers, { "accept-encoding": "identity", host: origin.host });
  t.notMatch(JSON.stringify(last()?.headers), /orchd|orche_/);
});

root.test("a placeholder that is split over chunks in every way is found in the body", async (t) => {
  const body = `before ${placeholder("BODY")} orchsec_ ${placeholder("BODY")}`;
  for (const size of [1, 2, 3, 7, 40, 95]) {
    await send({ phantom: placeholder("BODY"), parts: chunked(body, size), length: body.length });
    t.equal(last()?.body, `before ${VALUE} orchsec_ ${VALUE}`, `parts of ${size}`);
  }
  const long = "x".repeat(300_000);
  await send({ phantom: placeholder("TOKEN"), parts: [long], length: long.length });
  t.match(last(), { body: long, headers: { "content-length": "300000" } }, "another body stays as it is");
});

root.test("a placeholder replayed from another engine is refused and told", (t) =>
  refused(t, { headers: { authorization: `Bearer ${placeholder("TOKEN", anotherKey)}` } }, "other engine"),
);

root.test("a placeholder whose name was changed is refused", (t) => {
  const changed = placeholder("TOKEN").replace("TOKEN", "BASIC");
  return refused(t, { phantom: changed }, "other engine");
});

root.test("a placeholder is refused at another host, at another port and without TLS", async (t) => {
  await refused(t, { phantom: placeholder("TOKEN"), target: `${other.url}/echo` }, "other host");
  await refused(t, { phantom: placeholder("TOKEN"), target: "https://localhost/echo" }, "other host");
  await refused(t, { phantom: placeholder("TOKEN"), target: `https://${origin.address}/echo` }, "other host");
  await refused(t, { phantom: placeholder("TOKEN"), target: `http://${origin.host}/echo` }, "not https");
});

root.test("a placeholder in another place is refused: a header, the path, the body, split over chunks", async (t) => {
  await refused(t, { headers: { "x-debug": placeholder("TOKEN") } }, "other place");
  await refused(t, { target: `${origin.url}/${placeholder("TOKEN")}`, phantom: placeholder("TOKEN") }, "other place");
  await refused(t, { target: `${origin.url}/?key=${placeholder("TOKEN")}` }, "other place");
});

root.test("a request that carries it in the body of another secret's request is cut and told", async (t) => {
  const whole = () => origin.requests.filter(({ method }) => method !== "cut").length;
  const before = whole();
  const answer = await send({
    phantom: placeholder("TOKEN"),
    parts: chunked(`log ${placeholder("TOKEN")}`, 5),
  });
  t.match(answer, { status: 403, body: /as header only/ });
  t.equal(whole(), before, "no whole request has arrived");
  t.equal(misuses().at(-1), "other place");
});

root.test("after its deletion a placeholder is refused within seconds", async (t) => {
  secrets.set("GONE", secret());
  t.equal((await send({ phantom: placeholder("GONE") })).status, 200);
  secrets.delete("GONE");
  await until("it is refused", async () => (await send({ phantom: placeholder("GONE") })).status === 403);
  t.pass("refused");
});

root.test(
  "an answer never contains the value: as it is, in gzip, in brotli, in JSON, in an error that echoes headers",
  async (t) => {
    const encoded = Buffer.from(`alice:${VALUE}`).toString("base64");
    for (const path of ["/echo", "/error", "/gzip", "/br"])
      for (const name of ["TOKEN", "BASIC", "QUERY"]) {
        const { headers, body } = await send({ target: origin.url + path, phantom: placeholder(name) });
        const seen = body + JSON.stringify(headers);
        for (const form of [VALUE, JSON.stringify(VALUE).slice(1, -1), encodeURIComponent(VALUE), encoded])
          t.notOk(seen.includes(form), `${path} ${name} ${form}`);
        t.match(body, /GET/);
        t.equal(headers["content-encoding"], undefined);
      }
    t.equal((await send({ target: `${origin.url}/unknown`, phantom: placeholder("TOKEN") })).status, 502);
  },
);

root.test("a value split over chunks of an answer is found", async (t) => {
  const { body } = await send({ target: `${origin.url}/chunks`, phantom: placeholder("TOKEN") });
  t.equal(body, `before Bearer ${placeholder("TOKEN")} after`);
});

root.test("an event is passed on when it has arrived, although the stream goes on", async (t) => {
  const call = open({ target: `${origin.url}/event`, phantom: placeholder("TOKEN") });
  call.end();
  const [response] = (await once(call, "response")) as [IncomingMessage];
  const [first] = (await once(response, "data")) as [Buffer];
  t.equal(first.toString(), `data: Bearer ${placeholder("TOKEN")}\n\n`);
  call.destroy();
});

root.test("a redirect to another host is passed on and not followed, so that it carries no value", async (t) => {
  const before = other.requests.length;
  const answer = await send({
    target: `${origin.url}/redirect`,
    phantom: placeholder("TOKEN"),
    headers: { "x-to": `${other.url}/caught` },
  });
  t.match(answer, { status: 302, headers: { location: `${other.url}/caught` } });
  t.equal(other.requests.length, before);
});

root.test("the policy's network of tools holds: none, and addresses that it does not list", async (t) => {
  t.match(await send({ phantom: placeholder("SHUT") }), { status: 403, body: /tool_network/ });
  t.match(await send({ phantom: placeholder("PUBLIC") }), { status: 403, body: /not on the public internet/ });
});

root.test("nobody calls without the key of an engine, and nothing is forwarded without a secret", async (t) => {
  t.equal((await send({ engineKey: null, phantom: placeholder("TOKEN") })).status, 401);
  t.equal((await send({ engineKey: "orche_guess", phantom: placeholder("TOKEN") })).status, 401);
  t.equal((await send({})).status, 400);
  t.equal((await send({ phantom: placeholder("NONE") })).status, 403);
});

root.test("an origin with HTTP/2 is called by HTTP/1.1", async (t) => {
  await send({ phantom: placeholder("TOKEN") });
  t.equal(last()?.httpVersion, "1.1");
});

root.test("calls are counted by how they ended, and refused placeholders by the reason", async (t) => {
  const of = (name: string) => counts.report().tool_calls[`secret ${name}`] ?? 0;
  const added = async (name: string, sent: Sent) => {
    const before = of(name);
    await send(sent);
    await until(`it counts as ${name}`, () => of(name) > before);
    t.equal(of(name), before + 1, name);
  };
  await added("answered", { phantom: placeholder("TOKEN") });
  await added("failed", { phantom: placeholder("TOKEN"), target: `${origin.url}/error` });
  await added("unreachable", { phantom: placeholder("TOKEN"), target: `${origin.url}/unknown` });
  await added("missing", { phantom: placeholder("NONE") });
  await added("denied", { phantom: placeholder("SHUT") });
  await added("invalid", {});
  const { misuses: before } = counts.report();
  await added("misused", { phantom: placeholder("TOKEN", anotherKey) });
  t.equal(counts.report().misuses["other engine"], (before["other engine"] ?? 0) + 1);
  const cut = of("cut");
  const call = open({ target: `${origin.url}/event`, phantom: placeholder("TOKEN") });
  call.end();
  await once(call, "response");
  call.destroy();
  await until("the cut counts", () => of("cut") > cut);
});
