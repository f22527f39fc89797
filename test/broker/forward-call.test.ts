import { request as httpRequest } from "node:http";
import { gzipSync } from "node:zlib";
import t, { type Test } from "tap";
import { openFamily as openBedrock } from "../../src/engine/model/bedrock-model.ts";
import { aiSdkProvider } from "../../src/engine/model/ai-sdk-provider.ts";
import { importFamily } from "../../src/engine/model/create-provider.ts";
import { brokerFetch } from "../../src/engine/model/broker-fetch.ts";
import { startTestBroker } from "../helpers/model-broker.ts";
import { until } from "../helpers/until.ts";
import { KEY, adapterTo, outline, partsOf, requestTo } from "../engine/model/adapter.ts";
import { type Behaviour, cutsAfter, deadAddress, refuses, startUpstream, streams } from "../engine/model/upstream.ts";
import { FRAMES, REMOTES, type Remote } from "../engine/model/wire-formats.ts";

/** An engine's adapter that calls a provider through the broker. */
async function throughBroker(t: Test, remote: Remote, baseUrl: string, apiKey: string | null = KEY) {
  const broker = await startTestBroker(t);
  const key = broker.keyFor({ provider: remote, apiKey, baseUrl });
  const settings = { apiKey: key, baseUrl: broker.url, fetch: brokerFetch(fetch) };
  const load = async () => (await importFamily(remote)).openFamily(settings);
  return { broker, key, provider: aiSdkProvider({ name: remote, load }) };
}

t.test("every provider gets its own key, and answers as if the engine had called it", async (t) => {
  for (const remote of REMOTES) {
    const upstream = await startUpstream(t, streams(FRAMES[remote]));
    const { provider, key } = await throughBroker(t, remote, upstream.url);
    const answer = outline(await partsOf(provider, requestTo(remote)));
    const direct = outline(await partsOf(adapterTo(remote, upstream.url), requestTo(remote)));
    t.same(answer, direct, remote);
    const [call, without] = upstream.received;
    t.equal(call?.path, without?.path, `${remote}: the path`);
    t.equal(call?.text, without?.text, `${remote}: the bytes of the request`);
    t.match(JSON.stringify(call?.headers), KEY);
    t.notMatch(JSON.stringify([call?.headers, call?.path, call?.text]), key, `${remote}: the engine's key stays here`);
  }
});

t.test("an access key of AWS signs the request at the broker", async (t) => {
  const upstream = await startUpstream(t, streams(FRAMES.bedrock));
  const accessKey = "AKIAIOSFODNN7EXAMPLE:wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY:session";
  const { provider } = await throughBroker(t, "bedrock", upstream.url, accessKey);
  const direct = aiSdkProvider({
    name: "bedrock",
    load: async () => openBedrock({ apiKey: accessKey, baseUrl: upstream.url, region: "us-east-1" }),
  });
  t.same(outline(await partsOf(provider, requestTo("bedrock"))), outline(await partsOf(direct, requestTo("bedrock"))));
  const [call, own] = upstream.received;
  const scope = /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/\d{8}\/us-east-1\/bedrock\/aws4_request, /;
  t.match(call?.headers["authorization"], scope);
  t.match(own?.headers["authorization"], scope);
  t.equal(call?.headers["x-amz-security-token"], "session");
});

/** A call without a provider's package, and so without its checks. */
const raw = (url: string, path: string, key: string, method = "POST") =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const call = httpRequest({ hostname, port, path, method, headers: { "x-api-key": key } }, async (response) => {
      let text = "";
      for await (const part of response) text += part;
      resolve({ status: response.statusCode ?? 0, text });
    });
    call.on("error", reject).end(method === "POST" ? "{}" : undefined);
  });

t.test("an engine's key opens model calls alone: no other path of the provider, and no other host", async (t) => {
  const upstream = await startUpstream(t, refuses(200, "reached"));
  const broker = await startTestBroker(t);
  const key = broker.keyFor({ provider: "anthropic", apiKey: KEY, baseUrl: upstream.url });
  for (const path of [
    "/files",
    "/messages/batches",
    "/messages/../files",
    "/messages?beta=1",
    "/%6dessages",
    "//evil.example/messages",
    "http://evil.example/messages",
    "/models/../../admin:generateContent",
  ])
    t.equal((await raw(broker.url, path, key)).status, 404, path);
  const google = broker.keyFor({ provider: "google", apiKey: KEY, baseUrl: upstream.url });
  for (const path of ["/models/../x:generateContent", "/models/%2e%2e/x:generateContent", "/files:generateContent?x=1"])
    t.equal((await raw(broker.url, path, google)).status, 404, path);
  t.equal((await raw(broker.url, "/messages", key, "GET")).status, 404);
  t.equal(upstream.received.length, 0);
});

t.test("a key of another deployment, an altered one and a provider's own are refused", async (t) => {
  const upstream = await startUpstream(t, refuses(200, "reached"));
  const [broker, other] = [await startTestBroker(t), await startTestBroker(t)];
  const key = broker.keyFor({ provider: "anthropic", apiKey: KEY, baseUrl: upstream.url });
  const altered = key.slice(0, -3) + (key.endsWith("AAA") ? "BBB" : "AAA");
  for (const bad of [KEY, altered, `${key}xxxx`, "orchm_", "orchm_AAAA", other.keyFor({ provider: "anthropic" }), ""])
    t.equal((await raw(broker.url, "/messages", bad)).status, 401);
  t.equal(upstream.received.length, 0);
  t.equal((await raw(broker.url, "/messages", key)).status, 200, "the right one is none of them");
});

t.test("an error that echoes the key does not carry it to the engine, plain or compressed", async (t) => {
  const echo = `{"error":{"message":"bad key ${KEY}"}}`;
  const compressed: Behaviour = (response) =>
    response.writeHead(400, { "content-encoding": "gzip", "x-echo": KEY }).end(gzipSync(echo));
  const upstream = await startUpstream(t, refuses(401, echo), compressed);
  const broker = await startTestBroker(t);
  const key = broker.keyFor({ provider: "anthropic", apiKey: KEY, baseUrl: upstream.url });
  for (const status of [401, 400]) {
    const answer = await fetch(`${broker.url}/messages`, { method: "POST", body: "{}", headers: { "x-api-key": key } });
    t.equal(answer.status, status);
    t.equal(await answer.text(), '{"error":{"message":"bad key (redacted)"}}');
    t.equal(answer.headers.get("x-echo"), null);
  }
});

t.test("a redirect is not followed, because it would take the call to another address", async (t) => {
  const elsewhere = await startUpstream(t, refuses(200, "reached"));
  const redirect: Behaviour = (response) => response.writeHead(307, { location: elsewhere.url }).end();
  const upstream = await startUpstream(t, redirect);
  const broker = await startTestBroker(t);
  const key = broker.keyFor({ provider: "anthropic", apiKey: KEY, baseUrl: upstream.url });
  const answer = await raw(broker.url, "/messages", key);
  t.match(answer, { status: 502, text: /redirects; set the address/ });
  t.equal(elsewhere.received.length, 0);
});

t.test("a provider that cannot be reached is reported as if the engine had called it", async (t) => {
  const url = await deadAddress();
  const { provider } = await throughBroker(t, "anthropic", url);
  const failed = (await partsOf(provider, requestTo("anthropic"))).at(-1);
  const { message } = failed?.kind === "failed" && "message" in failed.failure ? failed.failure : { message: "" };
  t.match(message, new RegExp(`^connect ECONNREFUSED ${new URL(url).host} \\(anthropic, `));
  t.match(failed, { failure: { kind: "transient" } });
});

t.test("a stream that its provider cuts ends for the engine, and a call that the engine ends ends there", async (t) => {
  const frames = FRAMES.anthropic;
  const upstream = await startUpstream(
    t,
    cutsAfter(8, frames),
    (response) => void response.writeHead(200).write(":\n\n"),
  );
  const { provider, broker } = await throughBroker(t, "anthropic", upstream.url);
  const parts = await partsOf(provider, requestTo("anthropic"));
  t.match(parts.at(-1), { kind: "failed", failure: { kind: "transient" } });
  t.ok(parts.length > 1, "what came before the cut arrived");
  const cancel = new AbortController();
  const running = partsOf(provider, requestTo("anthropic"), cancel.signal);
  await until("the call is at the provider", () => upstream.received.length === 2);
  cancel.abort();
  await running;
  await until("the provider sees the end", () => upstream.received[1]?.closed);
  await until("no call is open", () => broker.counts.open === 0);
  t.pass();
});

t.test("bytes pass as they come: the engine has the first chunk before the provider sends the second", async (t) => {
  const second = Promise.withResolvers<void>();
  const upstream = await startUpstream(t, async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write("first");
    await second.promise;
    response.end("second");
  });
  const broker = await startTestBroker(t);
  const key = broker.keyFor({ provider: "openai", apiKey: KEY, baseUrl: upstream.url });
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${broker.url}/responses`, { method: "POST", body: "{}", headers });
  const reader = answer.body?.getReader();
  t.equal(Buffer.from((await reader?.read())?.value ?? []).toString(), "first");
  second.resolve();
  t.equal(Buffer.from((await reader?.read())?.value ?? []).toString(), "second");
});

t.test("only a model server of the operator gets the trace", async (t) => {
  const { headersToSend } = await import("../../src/broker/call-headers.ts");
  const rawHeaders = ["Traceparent", "00-1", "X-Api-Key", "k", "Accept", "*/*", "x-amz-date", "1"];
  const request = { rawHeaders, headers: { "content-length": "2" } } as never;
  const names = (isOwnServer: boolean, isSigned = false) =>
    headersToSend(request, { isOwnServer, isSigned, isRead: false }).filter((_, at) => at % 2 === 0);
  t.same(names(true), ["Traceparent", "Accept", "x-amz-date", "content-length"]);
  t.same(names(false), ["Accept", "x-amz-date", "content-length"]);
  t.same(names(true, true), ["Traceparent", "Accept"]);
});
