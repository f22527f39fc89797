import t from "tap";
import { KeyRates } from "../../src/broker/key-rates.ts";
import type { ModelRoute } from "../../src/contract/broker/call-key.ts";
import { KEY } from "../engine/model/adapter.ts";
import { refuses, startUpstream } from "../engine/model/upstream.ts";
import { startTestBroker } from "../helpers/model-broker.ts";

const ROUTE: ModelRoute = {
  engine: "eng_1",
  incarnation: "i",
  provider: "openai",
  apiKey: "sk-of-all",
  baseUrl: null,
  region: null,
  requestsPerMinute: 60,
};

t.test(
  "no minute has more calls with a key than its limit, however many engines call, and none waits for long",
  async (t) => {
    for (const limit of [10, 60, 1000]) {
      const clock = { ms: 5000 };
      const rates = new KeyRates(() => clock.ms);
      const sent: number[] = [];
      const wrong: number[] = [];
      for (let step = 0; step < 12_000; step++) {
        clock.ms = 5000 + step * 25;
        const engine = `eng_${step % 7}`;
        const { waitMs, isRefused } = rates.turn({ ...ROUTE, engine, requestsPerMinute: limit });
        if (!isRefused) sent.push(clock.ms + waitMs);
        if (isRefused !== waitMs > 5000) wrong.push(waitMs);
      }
      t.same(wrong, [], `${limit}: who would wait for longer than 5 s is refused, and nobody else`);
      const busiest = Math.max(...sent.map((from) => sent.filter((at) => at >= from && at < from + 60_000).length));
      t.ok(busiest <= limit, `${limit}: at most ${busiest}`);
      t.ok(busiest >= limit * 0.9, `${limit}: and nearly all of them`);
    }
  },
);

t.test("another key and one without a limit have turns of their own", async (t) => {
  const rates = new KeyRates(() => 5000);
  while (!rates.turn(ROUTE).isRefused);
  t.same(rates.turn({ ...ROUTE, apiKey: "sk-other" }), { waitMs: 0, isRefused: false });
  const { requestsPerMinute: _, ...unlimited } = ROUTE;
  t.same(rates.turn(unlimited), { waitMs: 0, isRefused: false });
});

t.test("beyond the limit an engine is told when its turn is, without a call", async (t) => {
  const upstream = await startUpstream(t, refuses(200, "{}"));
  const broker = await startTestBroker(t);
  const call = async (engine: string) => {
    const route = { provider: "openai", apiKey: KEY, baseUrl: upstream.url, engine, requestsPerMinute: 10 } as const;
    const headers = { authorization: `Bearer ${broker.keyFor(route)}` };
    const answer = await fetch(`${broker.url}/responses`, { method: "POST", body: '{"model":"m"}', headers });
    return { status: answer.status, retryAfter: answer.headers.get("retry-after"), text: await answer.text() };
  };
  const answers = await Promise.all(Array.from({ length: 30 }, (_, at) => call(`eng_${at}`)));
  const [sent, refused] = [200, 429].map((wanted) => answers.filter(({ status }) => status === wanted));
  t.equal(sent?.length, upstream.received.length);
  t.equal((sent?.length ?? 0) + (refused?.length ?? 0), 30);
  t.match(refused?.[0], { retryAfter: /^\d+$/, text: /rate_limit_exceeded/ });
  t.ok(Number(refused?.[0]?.retryAfter) > 5);
  t.equal(broker.counts.report().calls["openai over_rate"], refused?.length);
});
