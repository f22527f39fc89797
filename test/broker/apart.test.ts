import { randomInt } from "node:crypto";
import { once } from "node:events";
import t, { type Test } from "tap";
import { openCallKey, sealCallKey, sealingKeyOf } from "../../src/contract/broker/call-key.ts";
import { remoteBroker } from "../../src/orchestrator/fleet/broker/remote-broker.ts";
import { refuses, startUpstream } from "../engine/model/upstream.ts";
import { startAnsweringDaemon } from "../helpers/answering-daemon.ts";
import { startApartBroker } from "../helpers/apart-broker.ts";
import { until } from "../helpers/until.ts";

const SECRET = "a secret of daemons and brokers";

/** On an address of loopback that nobody else has. */
async function startApart(t: Test): ReturnType<typeof startApartBroker> {
  const host = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
  return startApartBroker(t, { secret: SECRET, host, daemonUrl: (await startAnsweringDaemon(t)).url });
}

const route = (baseUrl: string) =>
  ({
    engine: "eng_1",
    incarnation: "one",
    provider: "openai",
    apiKey: "sk-openai",
    baseUrl,
    region: null,
  }) as const;

t.test(
  "a broker apart from the daemon knows the engines of a daemon that has the same secret, and no others",
  async (t) => {
    const upstream = await startUpstream(t, refuses(200, "an answer"));
    const { url, child } = await startApart(t);
    const call = (secret: string) => {
      const { sealingKey } = remoteBroker(url, secret).access();
      const headers = { authorization: `Bearer ${sealCallKey(sealingKey, route(upstream.url))}` };
      return fetch(`${url}/responses`, { method: "POST", body: "{}", headers });
    };
    t.equal((await call(SECRET)).status, 200);
    t.match(upstream.received, [{ headers: { authorization: "Bearer sk-openai" } }]);
    t.equal((await call("another secret of a daemon")).status, 401);
    t.equal((await fetch(`${url}/control/live`, { headers: { "x-control-token": SECRET } })).status, 401);
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    t.equal(code, 0, "it ends when it is told to");
  },
);

t.test("SIGTERM lets calls end that run", async (t) => {
  const rest = Promise.withResolvers<void>();
  const upstream = await startUpstream(t, async (response) => {
    response.writeHead(200).write("begun, ");
    await rest.promise;
    response.end("and ended");
  });
  const { url, child } = await startApart(t);
  const headers = { authorization: `Bearer ${sealCallKey(sealingKeyOf(SECRET), route(upstream.url))}` };
  const answer = await fetch(`${url}/responses`, { method: "POST", body: "{}", headers });
  const text = answer.text();
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await until("it accepts no more calls", async () => (await fetch(`${url}/health`).catch(() => null)) === null);
  rest.resolve();
  t.equal(await text, "begun, and ended");
  t.equal((await ended)[0], 0);
});

t.test("a key is not readable without the secret", async (t) => {
  const key = sealCallKey(sealingKeyOf(SECRET), route("http://upstream"));
  t.notMatch(Buffer.from(key.slice("orchm_".length), "base64url").toString("latin1"), "sk-openai");
  t.equal(openCallKey(sealingKeyOf("another"), key), null);
  t.match(openCallKey(sealingKeyOf(SECRET), key), { apiKey: "sk-openai" });
});
