import t, { type Test } from "tap";
import { ModelRequestLog, type ModelRequestLogParts } from "../../../src/engine/requests/model-request-log.ts";
import { createProvider } from "../../../src/engine/model/create-provider.ts";
import type { ModelProvider, ModelRequest } from "../../../src/engine/model/model-provider.ts";
import { ModelRequestTable } from "../../../src/engine/store/model-requests.ts";
import { openStore } from "../../../src/engine/store/open-store.ts";
import { NO_SCOPE } from "../../../src/engine/telemetry/engine-telemetry.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { redactSecrets } from "../../../src/shared/redact-secrets.ts";
import { KEY, partsOf, requestTo } from "../model/adapter.ts";
import { refuses, startUpstream, streams } from "../model/upstream.ts";
import { FRAMES, REMOTES, type Remote } from "../model/wire-formats.ts";

const logger = createLogger("test", "silent");
const CONTROL_TOKEN = "the-control-token-of-the-engine";

function keptIn(t: Test, options: Partial<ModelRequestLogParts> = {}) {
  const store = openStore(t.testdir());
  t.teardown(() => store.close());
  const table = new ModelRequestTable(store);
  const secrets = [KEY, CONTROL_TOKEN];
  return { table, kept: new ModelRequestLog({ table, secrets, windowOf: () => 100_000, logger, ...options }) };
}

const inTurn = (turnId: string): Pick<ModelRequest, "scope"> => ({
  scope: { ...NO_SCOPE, taskId: "task", turnId, agent: "default" },
});

const remote = (provider: Remote, baseUrl: string, kept: ModelRequestLog): ModelProvider =>
  createProvider(
    { provider, apiKey: KEY, baseUrl, region: "us-east-1" },
    { extraCaCerts: null, logger, recorder: kept },
  );

for (const provider of REMOTES) {
  t.test(`a request to ${provider} is kept as it was sent, without its key`, async (t) => {
    const upstream = await startUpstream(t, streams(FRAMES[provider]));
    const { kept } = keptIn(t);
    await partsOf(remote(provider, upstream.url, kept), requestTo(provider, inTurn("turn_1")));
    const request = await kept.find("turn_1", 1);
    const [received] = upstream.received;
    t.same(request?.body, received?.body, "the body is the one that arrived");
    t.equal(request?.method, "POST");
    t.equal(request?.path, received?.path);
    t.equal(request?.body_bytes, Buffer.byteLength(received?.text ?? ""));
    t.notMatch(JSON.stringify(request), KEY);
    t.match(request, { truncated: false, tries: 1, outcome: "completed", provider, agent: "default" });
    t.equal(request?.headers["content-type"], "application/json");
    const { parts, is_estimate } = request?.context ?? {};
    t.equal(is_estimate, false);
    const sum = Object.values(parts ?? {}).reduce((all, part) => all + part, 0);
    t.equal(sum, request?.usage?.input_tokens);
  });
}

t.test("a call that is sent again is one record, and each record belongs to its own turn", async (t) => {
  const busy = refuses(429, {}, { "retry-after": "1" });
  const upstream = await startUpstream(t, busy, streams(FRAMES.anthropic));
  const { kept } = keptIn(t);
  const provider = remote("anthropic", upstream.url, kept);
  await partsOf(provider, requestTo("anthropic", inTurn("turn_1")));
  const say = (text: string, turnId: string) =>
    partsOf(provider, requestTo("anthropic", { messages: [{ role: "user", text }], ...inTurn(turnId) }));
  await Promise.all([say("of the second", "turn_2"), say("of the third", "turn_3")]);
  await partsOf(provider, requestTo("anthropic"));
  t.match(await kept.ofTurn("turn_1"), [{ tries: 2, number: 1 }]);
  t.match(JSON.stringify((await kept.find("turn_2", 1))?.body), /of the second/);
  t.match(JSON.stringify((await kept.find("turn_3", 1))?.body), /of the third/);
  t.same(await kept.ofTurn(""), [], "a call outside of turns is not kept");
});

t.test("secrets, files and long bodies do not get into the store", async (t) => {
  const upstream = await startUpstream(t, streams(FRAMES.anthropic));
  const { kept, table } = keptIn(t);
  const provider = remote("anthropic", upstream.url, kept);
  const text = `mine is ${CONTROL_TOKEN}, and sk-live-0123456789abcdefgh with password: hunter2hunter2`;
  const bytes = new Uint8Array(30_000).fill(7);
  const file = {
    kind: "image",
    name: "a.png",
    path: "a",
    media_type: "image/png",
    bytes: 30_000,
    digest: "d",
  } as const;
  const parts = [{ kind: "text", text } as const, { kind: "data", file, read: () => bytes } as const];
  await partsOf(provider, requestTo("anthropic", { messages: [{ role: "user", text, parts }], ...inTurn("a") }));
  const shown = JSON.stringify((await kept.find("a", 1))?.body);
  for (const secret of [CONTROL_TOKEN, "sk-live-0123456789abcdefgh", "hunter2hunter2"]) t.notMatch(shown, secret);
  t.match(shown, "(30000 bytes in base64)");
  t.ok((table.find("a", 1)?.request.byteLength ?? 0) < 3000);
  await partsOf(
    provider,
    requestTo("anthropic", { messages: [{ role: "user", text: "é ".repeat(600_000) }], ...inTurn("b") }),
  );
  const long = await kept.find("b", 1);
  t.match(long, { truncated: true });
  t.equal(String(long?.body).length, 1024 * 1024);
  t.ok((long?.body_bytes ?? 0) > 1_800_000);
});

t.test("redacting a hostile text takes time in proportion to its length, as a harmless one", (t) => {
  const cpuMs = (piece: string): number => {
    const text = piece.repeat(Math.floor(300_000 / piece.length));
    const before = process.cpuUsage();
    redactSecrets(text, [KEY, CONTROL_TOKEN]);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const harmless = cpuMs("harmless words ");
  // The slowest takes 40 times as long. Quadratic time is thousands of times as long.
  for (const piece of ["a-", "eyJ-", "secret", "a+b", "Aa1"]) t.ok(cpuMs(piece) < 400 * harmless, piece);
  t.end();
});

t.test("no more are kept than the bounds allow, the newest ones", async (t) => {
  const { kept } = keptIn(t, { bounds: { count: 3, bytes: 1e9 } });
  const provider = createProvider(
    { provider: "sandbox", apiKey: undefined, baseUrl: undefined },
    {
      extraCaCerts: null,
      logger,
      recorder: kept,
    },
  );
  for (let call = 0; call < 5; call++) await partsOf(provider, requestTo("anthropic", inTurn("one")));
  t.same(
    (await kept.ofTurn("one")).map(({ number }) => number),
    [3, 4, 5],
  );
  t.equal(await kept.find("one", 1), null);
});

t.test("a call that failed or was left is kept with its reason", async (t) => {
  const upstream = await startUpstream(t, refuses(400, { error: { message: "no" } }));
  const { kept, table } = keptIn(t);
  await partsOf(remote("anthropic", upstream.url, kept), requestTo("anthropic", inTurn("bad")));
  t.match(await kept.ofTurn("bad"), [{ outcome: "failed", reason: "permanent", usage: null, cache_share: null }]);
  const left = new AbortController();
  left.abort();
  await partsOf(remote("anthropic", upstream.url, kept), requestTo("anthropic", inTurn("left")), left.signal);
  t.match(await kept.find("left", 1), { outcome: "aborted" });
  table.prune(Date.now() + 1);
  t.same(await kept.ofTurn("bad"), [], "the old ones are removed");
});

t.test("calls that end faster than they are stored wait within the bounds, the newest ones", async (t) => {
  const { kept } = keptIn(t);
  const end = { outcome: "completed", reason: "stop", usage: null, tookMs: 1, firstMs: 1 } as const;
  const record = (calls: number): void => {
    for (let call = 0; call < calls; call++) kept.start("sandbox", requestTo("anthropic", inTurn("busy")))?.end(end);
  };
  record(10);
  const flushes = [kept.flush()];
  for (let batch = 0; batch < 3; batch++) {
    // The first ten are being stored, one in each turn of the event loop.
    await Promise.resolve();
    record(400);
    flushes.push(kept.flush());
  }
  await Promise.all(flushes);
  t.equal((await kept.ofTurn("busy")).length, 10 + 500);
});
