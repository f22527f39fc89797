import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t, { type Test } from "tap";
import { IdentityAnswers } from "../../src/broker/answer-identity.ts";
import { DaemonAway, type DaemonRoad, QuestionRefused } from "../../src/broker/ask-daemon.ts";
import { sealEngineKey } from "../../src/contract/broker/engine-key.ts";
import { IDENTITY_PATH } from "../../src/contract/broker/identity-call.ts";
import { ask } from "../helpers/api.ts";
import { until } from "../helpers/until.ts";

const sealingKey = Buffer.alloc(32, 7);
const asked = { audience: "https://api.example.com", agent: "default" };

async function brokerWith(t: Test, answer: () => Promise<{ readonly token: string }>) {
  const seen: unknown[] = [];
  const road = {
    ask: (_name: string, question: unknown) => {
      seen.push(question);
      return answer();
    },
  } as Pick<DaemonRoad, "ask">;
  const answers = new IdentityAnswers(sealingKey, road);
  const server = createServer((request, response) => {
    if (!answers.answer(request, response)) response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const call = (engine: string, body: unknown = asked) => {
    const authorization = `Bearer ${sealEngineKey(sealingKey, { engine, incarnation: "i1" })}`;
    return ask(url, IDENTITY_PATH, { method: "POST", headers: { authorization }, body });
  };
  return { call, seen, url };
}

t.test("the daemon is asked with the engine of the key", async (t) => {
  const { call, seen, url } = await brokerWith(t, () => Promise.resolve({ token: "signed" }));
  const { status, body, headers } = await call("eng_1");
  t.match({ status, body }, { status: 200, body: { token: "signed" } });
  t.equal(headers["cache-control"], "no-store");
  t.same(seen, [{ engine: "eng_1", incarnation: "i1", ...asked }]);
  t.equal((await ask(url, IDENTITY_PATH)).status, 405);
  t.equal((await ask(url, "/other")).status, 404);
});

t.test("a daemon that is away or refuses is told, and nothing else of a failure is", async (t) => {
  for (const [error, status, message] of [
    [new DaemonAway("no daemon answered the question identity"), 503, /no daemon answered/],
    [new QuestionRefused(409, "ENGINE_NOT_RUNNING", "this start of the engine has ended"), 409, /has ended/],
    [new Error("a secret"), 500, /^the broker failed$/],
  ] as const) {
    const { call } = await brokerWith(t, () => Promise.reject(error));
    t.match(await call("eng_1"), { status, body: { error: message } });
  }
});

t.test("attack: an engine asks for more tokens than there is room for, and its neighbour still gets one", async (t) => {
  const waiting = Promise.withResolvers<{ readonly token: string }>();
  const { call, seen } = await brokerWith(t, () => waiting.promise);
  let refused = 0;
  const calls = Array.from({ length: 40 }, async () => {
    const answer = await call("eng_1");
    if (answer.status === 429) refused++;
    return answer;
  });
  const neighbour = call("eng_2");
  await until("those beyond the limit are refused", () => refused === 8);
  waiting.resolve({ token: "signed" });
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  t.equal(statuses.filter((status) => status === 200).length, 32);
  t.equal((await neighbour).status, 200);
  t.equal(seen.length, 33);
  t.equal((await call("eng_1")).status, 200, "there is room again");
});
