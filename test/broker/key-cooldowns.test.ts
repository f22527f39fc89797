import t from "tap";
import { type KeyCall, KeyCooldowns } from "../../src/broker/key-cooldowns.ts";
import { TopLevelFields } from "../../src/broker/top-level-fields.ts";
import type { ModelRoute } from "../../src/contract/broker/call-key.ts";

const ROUTE: ModelRoute = {
  engine: "eng_1",
  incarnation: "i",
  provider: "anthropic",
  apiKey: "sk-of-all",
  baseUrl: null,
  region: null,
};
const WALL = Date.parse("2026-11-24T12:00:00Z");

/** Cooldowns with a clock of the test's own. */
function scene() {
  const clock = { ms: 1000 };
  const cooldowns = new KeyCooldowns(() => clock.ms);
  const admit = (model = "opus", route: ModelRoute = ROUTE) => cooldowns.admit(route, () => model);
  /** A call that is expected to be let through. */
  const send = (model?: string, route?: ModelRoute): KeyCall => {
    const admitted = admit(model, route);
    if ("status" in admitted) throw new Error(`refused: ${JSON.stringify(admitted)}`);
    return admitted;
  };
  const fail = (call: KeyCall, status: number, headers: Record<string, string> = {}, body = "") => {
    cooldowns.failed(call, { status, headers, body }, WALL);
    cooldowns.released(call);
  };
  const waitS = (model?: string): number | null => {
    const admitted = admit(model);
    if ("status" in admitted) return admitted.retryAfterMs / 1000;
    cooldowns.released(admitted);
    return null;
  };
  return { clock, cooldowns, admit, send, fail, waitS };
}

t.test("how long a provider wants to be left alone is read from all that providers send", async (t) => {
  const cases: readonly (readonly [Record<string, string>, string, number])[] = [
    [{ "retry-after": "7" }, "", 7],
    [{ "retry-after-ms": "1500", "retry-after": "9" }, "", 1.5],
    [{ "retry-after": "Tue, 24 Nov 2026 12:00:20 GMT" }, "", 20],
    [{}, '{"error":{"details":[{"retryDelay": "32s"}]}}', 32],
    [
      {
        "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-requests-reset": "2026-11-24T12:00:05Z",
        "anthropic-ratelimit-input-tokens-remaining": "0",
        "anthropic-ratelimit-input-tokens-reset": "2026-11-24T12:00:12Z",
        "anthropic-ratelimit-output-tokens-remaining": "100",
        "anthropic-ratelimit-output-tokens-reset": "2026-11-24T12:00:59Z",
      },
      "",
      12,
    ],
    [{ "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1m2.5s" }, "", 62.5],
    [{ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "120ms" }, "", 0.12],
  ];
  for (const [headers, body, expected] of cases) {
    const { send, fail, waitS } = scene();
    fail(send(), 429, headers, body);
    t.equal(Math.round((waitS() ?? 0) * 1000), expected * 1000, JSON.stringify([headers, body]));
  }
});

t.test("what a provider limits is this key for this model: others are called", async (t) => {
  const { cooldowns, send, fail, waitS, admit } = scene();
  t.notOk(cooldowns.concerns(ROUTE));
  fail(send(), 429, { "retry-after": "30" });
  t.ok(cooldowns.concerns({ ...ROUTE, engine: "eng_2", incarnation: "other" }), "of every engine");
  t.equal(waitS(), 30);
  t.equal(waitS("haiku"), null);
  for (const other of [{ apiKey: "sk-other" }, { baseUrl: "https://proxy.example" }, { provider: "openai" } as const])
    t.notOk("status" in admit("opus", { ...ROUTE, ...other }), JSON.stringify(other));
});

t.test("after a cooldown one call tries, and the others follow when it is answered", async (t) => {
  const { clock, cooldowns, send, fail, waitS } = scene();
  fail(send(), 429, { "retry-after": "10" });
  clock.ms += 9_999;
  t.equal(waitS(), 0.001);
  clock.ms += 1;
  const probe = send();
  for (let caller = 0; caller < 50; caller++) t.equal(waitS(), 1, "the herd waits for the first of it");
  cooldowns.answered(probe);
  cooldowns.released(probe);
  t.equal(waitS(), null);
  t.notOk(cooldowns.concerns(ROUTE));
  fail(send(), 429, { "retry-after": "10" });
  clock.ms += 10_000;
  const cancelled = send();
  cooldowns.released(cancelled);
  const silent = send();
  t.equal(waitS(), 1, "after a call that was cancelled, the next one tries");
  clock.ms += 5000;
  const second = send();
  t.equal(waitS(), 1, "a call that gets no answer does not keep the others for long");
  cooldowns.released(silent);
  t.equal(waitS(), 1, "and its end is not that of the one that tries now");
  fail(second, 429, { "retry-after": "20" });
  t.equal(waitS(), 20);
});

t.test(
  "a provider that asks for years, for no time or for nonsense does not close a key for longer than a minute",
  async (t) => {
    const { clock, send, fail, waitS } = scene();
    fail(send(), 429, { "retry-after": "9".repeat(400) });
    t.equal(waitS(), 600, "engines are told ten minutes at most");
    clock.ms += 60_000;
    const probe = send();
    t.equal(waitS(), 540);
    fail(probe, 429, { "retry-after": "999999999" });
    clock.ms += 59_999;
    t.not(waitS(), null);
    clock.ms += 1;
    send();
    for (const header of ["0", "-5", "soon", "NaN", "", "1e9", "0x99", "2026"]) {
      const other = scene();
      other.fail(other.send(), 503, { "retry-after": header });
      t.ok((other.waitS() ?? 0) <= 600, header);
    }
  },
);

t.test("one overloaded answer without a time stops nobody; three in a row do, for longer each time", async (t) => {
  const { clock, cooldowns, send, fail, waitS } = scene();
  const [first, second] = [send(), send()];
  fail(first, 529);
  fail(second, 529);
  t.equal(waitS(), null);
  cooldowns.answered(send());
  for (let count = 0; count < 2; count++) fail(send(), 529);
  t.equal(waitS(), null, "an answer between them begins anew");
  const late = send();
  fail(send(), 529);
  t.equal(waitS(), 1);
  fail(late, 529);
  t.equal(waitS(), 1, "a call from before is no further failure");
  for (const expected of [2, 4, 8, 16, 30, 30]) {
    clock.ms += (waitS() ?? 0) * 1000;
    fail(send(), 503);
    t.equal(waitS(), expected);
  }
  clock.ms += 30_000 + 60_001;
  t.notOk(cooldowns.concerns(ROUTE), "and is forgotten when nobody has called for a minute");
});

t.test("a call that was sent before a cooldown does not end it", async (t) => {
  const { cooldowns, send, fail, waitS } = scene();
  const early = send();
  fail(send(), 429, { "retry-after": "10" });
  cooldowns.answered(early);
  t.equal(waitS(), 10);
});

t.test("a key without credit, a bad request and a fault of the provider are no limit of its rate", async (t) => {
  for (const [status, body] of [
    [429, '{"error":{"code":"insufficient_quota"}}'],
    [400, "{}"],
    [401, "{}"],
    [500, "{}"],
  ] as const) {
    const { send, fail, waitS } = scene();
    for (let count = 0; count < 5; count++) fail(send(), status, { "retry-after": "60" }, body);
    t.equal(waitS(), null, `${status}`);
  }
});

t.test("very many models of a call cannot fill the broker's memory, nor push out another key's cooldown", async (t) => {
  const { admit, send, fail, waitS } = scene();
  const flooded = { ...ROUTE, apiKey: "sk-flooded" };
  fail(send(), 429, { "retry-after": "30" });
  for (let count = 0; count < 5000; count++) fail(send(`m${count}`, flooded), 429, { "retry-after": "30" });
  t.equal(waitS(), 30);
  t.notOk("status" in admit("m0", flooded), "the oldest one is forgotten");
  t.ok("status" in admit("m4999", flooded));
});

t.test("the model of a request is read however its bytes are split", async (t) => {
  const text =
    '{"messages":[{"content":"a \\\\\\" \\"model\\":\\"x\\" {[,"}],"mo\\u0064el" : "op\\\\us" ,"n":[1,{"model":2}]}';
  for (let size = 1; size <= text.length; size++) {
    const fields = new TopLevelFields(new Set(["model"]));
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) {
      t.equal(fields.fields, null, "not before its end, because a later field could be another model");
      fields.see(bytes.subarray(at, at + size));
    }
    t.equal(fields.fields?.get("model"), "op\\us", `${size} bytes`);
  }
  for (const bad of [
    '{"model":"a","model":"b"}',
    '{"model":"a","\\u006dodel":"b"}',
    '["model"]',
    "model",
    '{"model":"a"',
  ])
    for (const size of [1, 100]) {
      const fields = new TopLevelFields(new Set(["model"]));
      for (let at = 0; at < bad.length; at += size) fields.see(Buffer.from(bad.slice(at, at + size)));
      t.equal(fields.fields, null, bad);
    }
});
