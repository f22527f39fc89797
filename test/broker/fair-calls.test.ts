import { randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { Agent, type IncomingMessage, createServer, request as requestHttp } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import { DaemonAway, DaemonRoad } from "../../src/broker/ask-daemon.ts";
import { CallCounts } from "../../src/broker/call-counts.ts";
import { FairQuestions } from "../../src/broker/fair-questions.ts";
import { OpenCalls } from "../../src/broker/open-calls.ts";
import { OutgoingCalls } from "../../src/broker/outgoing-calls.ts";
import { sealEngineKey } from "../../src/contract/broker/engine-key.ts";
import { ENGINE_KEY_HEADER, SECRET_HOSTS_PATH } from "../../src/contract/broker/secret-calls.ts";
import { startUpstream } from "../engine/model/upstream.ts";
import { startTestBroker } from "../helpers/model-broker.ts";
import { until } from "../helpers/until.ts";

const HOSTILE = 1000;
const OPEN = 256;
const ASKED = 8;
const asked = { engine: "hostile", incarnation: "i" };

interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The first bytes of an answer: a call that waits for one is still open. */
async function post({ url, headers }: Post, agent: Agent): Promise<IncomingMessage> {
  const call = requestHttp(url, { method: "POST", headers, agent });
  // It is cut at the end of the test.
  call.on("error", () => undefined);
  call.end('{"model":"m","names":["A"]}');
  const [response] = (await once(call, "response")) as [IncomingMessage];
  return response;
}

function agentOf(t: Test): Agent {
  const agent = new Agent({ keepAlive: false });
  t.teardown(() => agent.destroy());
  return agent;
}

t.test("a hostile engine with 1000 open model calls has 256, and does not delay another's call", async (t) => {
  const upstream = await startUpstream(t, (response) => {
    const isOther = upstream.received.at(-1)?.headers["authorization"] === "Bearer of the other";
    response.writeHead(200).write("begun");
    if (isOther) response.end();
  });
  const broker = await startTestBroker(t);
  const agent = agentOf(t);
  const headersOf = (engine: string, apiKey: string) => ({
    authorization: `Bearer ${broker.keyFor({ provider: "openai", engine, apiKey, baseUrl: upstream.url })}`,
  });
  const url = `${broker.url}/responses`;
  const hostile = { url, headers: headersOf("hostile", "of the hostile") };
  const answers = await Promise.all(Array.from({ length: HOSTILE }, () => post(hostile, agent)));
  t.equal(answers.filter(({ statusCode }) => statusCode === 200).length, OPEN);
  const refused = answers.find(({ statusCode }) => statusCode !== 200);
  t.match(refused, { statusCode: 429, headers: { "retry-after": "1" } });
  t.match(refused && (await text(refused)), /256 open calls/, "it names the limit");
  t.equal(upstream.received.length, OPEN, "the provider gets no other");
  const other = await post({ url, headers: headersOf("other", "of the other") }, agent);
  t.equal(await text(other), "begun");
  t.match(broker.counts.report().calls, { "openai too_many": HOSTILE - OPEN });
  answers.find(({ statusCode }) => statusCode === 200)?.destroy();
  await until("one has ended", () => broker.counts.open < OPEN);
  t.equal((await post(hostile, agent)).statusCode, 200, "another one has its place");
});

/** A daemon that answers nothing about one engine. */
async function startDaemon(t: Test) {
  const held: (() => void)[] = [];
  let isHolding = true;
  const server = createServer(async (request, response) => {
    const { engine } = JSON.parse(await text(request));
    const answer = () => void response.end(JSON.stringify({ hosts: {}, secret: null, is_current: true }));
    if (engine === "hostile" && isHolding) held.push(answer);
    else answer();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => (server.closeAllConnections(), server.close()));
  const road = new DaemonRoad({ token: "", url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  t.teardown(() => road.close());
  const release = () => {
    isHolding = false;
    for (const answer of held) answer();
  };
  return { held, road, release };
}

t.test("an engine's tools with 1000 open calls ask the daemon eight things at once; others get answers", async (t) => {
  const { held, road, release } = await startDaemon(t);
  const sealingKey = randomBytes(32);
  const calls = new OutgoingCalls({
    sealingKey,
    road: new FairQuestions(road),
    addresses: { of: async () => [] },
    counts: new CallCounts(),
    open: new OpenCalls(),
    prepareTls: async () => undefined,
    log: () => undefined,
  });
  const server = createServer((request, response) => void calls.answer(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => (server.closeAllConnections(), server.close()));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${SECRET_HOSTS_PATH}`;
  const callOf = (engine: string): Post => ({
    url,
    headers: { [ENGINE_KEY_HEADER]: sealEngineKey(sealingKey, { engine, incarnation: "i" }) },
  });
  const agent = agentOf(t);
  const answers: IncomingMessage[] = [];
  const all = Promise.all(
    Array.from({ length: HOSTILE }, async () => answers.push(await post(callOf("hostile"), agent))),
  );
  await until("the ones too many are refused", () => answers.length === HOSTILE - OPEN && held.length === ASKED);
  const [refused] = answers;
  t.match(refused, { statusCode: 429, headers: { "retry-after": "1" } });
  t.match(refused && (await text(refused)), /256 open calls/);
  t.equal((await post(callOf("other"), agent)).statusCode, 200, "while all of them wait");
  t.equal(held.length, ASKED);
  release();
  await all;
  t.equal(answers.filter(({ statusCode }) => statusCode === 200).length, OPEN, "each is answered in its turn");
});

t.test("questions of another kind do not wait for those that wait, and too many are refused", async (t) => {
  const { held, road, release } = await startDaemon(t);
  const questions = new FairQuestions(road);
  const first = Array.from({ length: ASKED + 256 }, () => questions.ask("secret", { ...asked, name: "A" }));
  await until("the daemon is asked", () => held.length === ASKED);
  await t.rejects(questions.ask("secret", { ...asked, name: "A" }), {
    name: "TooManyQuestions",
    message: /8 things at once/,
  });
  const hosts = questions.ask("secret_hosts", { ...asked, names: ["A"] });
  await until("it is asked too", () => held.length === ASKED + 1);
  release();
  t.same(await hosts, { hosts: {}, secret: null, is_current: true });
  t.equal((await Promise.all(first)).length, ASKED + 256);
});

t.test("one that waits for its turn has a deadline, and gives its turn to the next", async (t) => {
  const { held, road, release } = await startDaemon(t);
  const questions = new FairQuestions(road);
  const first = Array.from({ length: ASKED }, () => questions.ask("engine", asked));
  const gone = new AbortController();
  const late = questions.ask("engine", asked, { deadlineMs: 50 });
  const left = questions.ask("engine", asked, { signal: gone.signal });
  const last = questions.ask("engine", asked);
  await t.rejects(late, DaemonAway);
  gone.abort();
  await until("the daemon is asked", () => held.length === ASKED);
  release();
  await t.rejects(left, DaemonAway);
  t.match(await last, { is_current: true });
  await Promise.all(first);
});

t.test("places are counted by engine, and returned once", (t) => {
  const open = new OpenCalls(1);
  const [first, second, other] = [new EventEmitter(), new EventEmitter(), new EventEmitter()];
  t.ok(open.enter("a", first));
  t.notOk(open.enter("a", second));
  t.ok(open.enter("b", other));
  first.emit("close");
  first.emit("close");
  second.emit("close");
  t.ok(open.enter("a", second));
  t.notOk(open.enter("a", first));
  t.end();
});
