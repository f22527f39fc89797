import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t, { type Test } from "tap";
import { DaemonRoad } from "../../src/broker/ask-daemon.ts";
import { CallCounts } from "../../src/broker/call-counts.ts";
import { BrokerControl } from "../../src/broker/control.ts";
import { EngineStandings } from "../../src/broker/engine-standing.ts";
import { LoginCalls } from "../../src/broker/login-calls.ts";
import { type EngineCall, Refusal } from "../../src/broker/outgoing.ts";
import { SecretValues } from "../../src/broker/secret-values.ts";
import { TOOL_TARGET_HEADER, encodeTarget } from "../../src/contract/broker/tool-calls.ts";
import { FORGET_PATH, type Forgotten, MAX_FORGET_BYTES } from "../../src/contract/broker/forget.ts";
import { tellForgotten } from "../../src/orchestrator/fleet/broker/live-broker.ts";

/** A daemon whose answers the test gives, in the order of the questions. */
function slowDaemon() {
  const questions: PromiseWithResolvers<never>[] = [];
  const road = {
    ask: () => {
      const question = Promise.withResolvers<never>();
      questions.push(question);
      return question.promise;
    },
  } as unknown as DaemonRoad;
  return {
    road,
    asked: () => questions.length,
    answer: (at: number, answer: object) => questions[at]?.resolve(answer as never),
  };
}

const start = { engine: "eng_1", incarnation: "one" };
const other = { engine: "eng_2", incarnation: "one" };

t.test("a value that was asked for before it was forgotten is not kept after it", async (t) => {
  const { road, asked, answer } = slowDaemon();
  const values = new SecretValues(road);
  const before = values.find(start, "TOKEN");
  values.forget({ secrets: ["TOKEN"] });
  const after = values.find(start, "TOKEN");
  answer(1, { secret: null });
  answer(0, { secret: { value: "the old value" } });
  t.match(await before, { value: "the old value" });
  t.equal(await after, null);
  t.equal(await values.find(start, "TOKEN"), null, "the later answer is the one that is kept");
  t.equal(asked(), 2);
});

t.test("other secrets, and those of other engines, are not asked for again", async (t) => {
  const { road, asked, answer } = slowDaemon();
  const values = new SecretValues(road);
  const findAll = () => Promise.all([values.find(start, "A"), values.find(start, "B"), values.find(other, "A")]);
  const first = findAll();
  for (const at of [0, 1, 2]) answer(at, { secret: null });
  await first;
  values.forget({ engines: ["eng_2"], secrets: ["A"] });
  values.forget({ connections: true, keys: true });
  const second = findAll();
  answer(3, { secret: null });
  await second;
  t.equal(asked(), 4, "the one that was forgotten");
  values.forget({ secrets: true });
  const third = findAll();
  for (const at of [4, 5, 6]) answer(at, { secret: null });
  await third;
  t.equal(asked(), 7);
});

t.test("a token that was asked for before its connection was deleted is not used after it", async (t) => {
  const { road, asked, answer } = slowDaemon();
  const logins = new LoginCalls(road);
  const target = { server: "tickets", url: "https://127.0.0.1/mcp" };
  const headers = { [TOOL_TARGET_HEADER]: encodeTarget(target) };
  const signal = new AbortController().signal;
  const call = { caller: start, request: { method: "GET", headers, rawHeaders: [] }, signal } as unknown as EngineCall;
  const token = { state: "token", token: "at-1", expires_at: null, private_hosts: ["127.0.0.1"] };
  const before = logins.prepare(call);
  logins.forget({ engines: ["eng_1"], connections: ["tickets"] });
  answer(0, token);
  t.ok((await before).headers.includes("Bearer at-1"));
  const after = logins.prepare(call);
  answer(1, { state: "login", token: null, expires_at: null, private_hosts: [] });
  await t.rejects(after, new Refusal(401, "the user has to sign in"));
  t.equal(asked(), 2);
});

t.test("a key whose engine has stopped while its standing was asked for is asked for again", async (t) => {
  const { road, asked, answer } = slowDaemon();
  const standings = new EngineStandings(road);
  const route = { ...start, provider: "openai", apiKey: null, baseUrl: null, region: null } as const;
  const before = standings.of(route);
  standings.forget({ engines: ["eng_1"], keys: true });
  const after = standings.of(route);
  t.equal(asked(), 2, "the question from before is not shared");
  answer(1, { is_current: false, has_budgets: false });
  answer(0, { is_current: true, has_budgets: false });
  t.match(await before, { is_current: true });
  t.match(await after, { is_current: false });
  t.match(await standings.of(route), { is_current: false });
  standings.forget({ engines: ["eng_2"], keys: true });
  standings.forget({ secrets: true });
  t.match(await standings.of(route), { is_current: false });
  t.equal(asked(), 2);
});

/** A broker that notes what it is told. */
async function startControl(t: Test, token: string) {
  const heard: Forgotten[] = [];
  const counts = new CallCounts();
  const road = new DaemonRoad({ token: "", url: null });
  const control = new BrokerControl({
    build: "",
    token,
    counts,
    road,
    drain: () => undefined,
    forget: (what) => void heard.push(what),
    once: {} as never,
  });
  const server = createServer((request, response) => void control.answer(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => (server.closeAllConnections(), server.close()));
  const { port } = server.address() as AddressInfo;
  const post = async (body: string, headers: Record<string, string> = { "x-control-token": token }) =>
    (await fetch(`http://127.0.0.1:${port}${FORGET_PATH}`, { method: "POST", body, headers })).status;
  return { heard, post, target: { host: "127.0.0.1", port, token } };
}

t.test("only the daemon tells the broker what to forget", async (t) => {
  const token = randomBytes(24).toString("hex");
  const { heard, post, target } = await startControl(t, token);
  const what = { engines: ["eng_1"], secrets: ["TOKEN"], connections: true } as const;
  await tellForgotten(target, { ...what, engines: ["eng_1"], secrets: ["TOKEN"] }, 10_000);
  t.same(heard, [what]);
  t.equal(await post("{}", {}), 401);
  t.equal(await post("{}", { "x-control-token": `${token}x` }), 401);
  for (const wrong of ["", "[]", '{"secrets":"TOKEN"}', '{"products":["acme"]}'])
    t.equal(await post(wrong), 400, wrong);
  t.equal(await post(" ".repeat(MAX_FORGET_BYTES + 1)), 413);
  t.equal(heard.length, 1);
});

t.test("a broker that is away or does not answer is waited for as long as is said, and not longer", async (t) => {
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(silent, "listening");
  t.teardown(() => (silent.closeAllConnections(), silent.close()));
  const target = { host: "127.0.0.1", port: (silent.address() as AddressInfo).port, token: "" };
  await tellForgotten(target, { secrets: true }, 100);
  silent.close();
  silent.closeAllConnections();
  await tellForgotten(target, { secrets: true }, 60_000);
  t.pass("neither has failed");
});
