import t from "tap";
import { createEmbedder } from "../../../src/engine/model/embedder.ts";
import { type CallTokens, NO_METER } from "../../../src/engine/model/metered-provider.ts";
import { deadAddress, refuses, startUpstream } from "./upstream.ts";

const signal = AbortSignal.timeout(20_000);
const parts = { meter: NO_METER, extraCaCerts: null };
const answer = (data: unknown) => refuses(200, { object: "list", model: "small", data, usage: { total_tokens: 7 } });
const one = { object: "embedding", index: 0, embedding: [1, 0, 0.5] };
const two = { object: "embedding", index: 1, embedding: [0, 1, 0.5] };

t.test("a text gets its vector, in whatever order they come", async (t) => {
  const spent: CallTokens[] = [];
  const meter = { ...NO_METER, record: (call: CallTokens) => void spent.push(call) };
  const upstream = await startUpstream(t, answer([two, one]));
  const embedder = createEmbedder({ url: `${upstream.url}/`, model: "small", apiKey: "key" }, { ...parts, meter });
  t.same(await embedder.embed(["one", "two"], signal), [one.embedding, two.embedding]);
  t.match(upstream.received, [
    {
      path: "/v1/embeddings",
      headers: { authorization: "Bearer key" },
      body: { model: "small", input: ["one", "two"], encoding_format: "float" },
    },
  ]);
  t.match(spent, [{ model: "small", input: 7, output: 0, isEstimate: false }]);
});

t.test("an endpoint without a key gets none", async (t) => {
  const upstream = await startUpstream(t, answer([one]));
  await createEmbedder({ url: upstream.url, model: "small", apiKey: undefined }, parts).embed(["one"], signal);
  t.equal(upstream.received[0]?.headers.authorization, undefined);
});

t.test("a failure says what to do, and quotes neither the text nor the endpoint", async (t) => {
  const quoting = { error: { message: "no SECRET text, please" } };
  const upstream = await startUpstream(
    t,
    refuses(401, quoting),
    refuses(404, quoting),
    refuses(413, quoting),
    refuses(429, quoting, { "retry-after": "7" }),
    refuses(302, "", { location: "http://127.0.0.1:1/" }),
    answer([one]),
    answer([one, { ...two, embedding: ["x", 1, 2] }]),
    refuses(200, "<html>SECRET"),
  );
  const embedder = createEmbedder({ url: upstream.url, model: "small", apiKey: "key" }, parts);
  const failed = () => embedder.embed(["SECRET text", "two"], signal).catch((error: unknown) => error);
  t.match(await failed(), { message: /answered 401: see ENGINE_EMBEDDINGS_KEY$/, isOfTexts: false });
  t.match(await failed(), { message: /answered 404: see ENGINE_EMBEDDINGS_MODEL and ENGINE_EMBEDDINGS_URL$/ });
  t.match(await failed(), { message: /answered 413$/, isOfTexts: true });
  t.match(await failed(), { message: /answered 429$/, isOfTexts: false, retryAfterMs: 7000 });
  t.match(await failed(), { message: /cannot be read|cannot be reached/ }, "a redirect is not followed");
  t.match(await failed(), { message: /no vector for each text/ });
  t.match(await failed(), { message: /no vector for each text/ });
  t.match(await failed(), { message: /cannot be read; check ENGINE_EMBEDDINGS_URL/ });
  const away = createEmbedder({ url: await deadAddress(), model: "small", apiKey: "key" }, parts);
  t.match(await away.embed(["SECRET"], signal).catch((error: unknown) => error), {
    message: /cannot be reached: connect ECONNREFUSED/,
  });
});

t.test("a budget that is used up makes no call", async (t) => {
  const upstream = await startUpstream(t, answer([one]));
  const refused = { kind: "refused", refusal: { message: "the budget is used up", details: {} } } as const;
  const meter = { ...NO_METER, admit: () => Promise.resolve(refused) };
  const embedder = createEmbedder({ url: upstream.url, model: "small", apiKey: "key" }, { ...parts, meter });
  await t.rejects(embedder.embed(["one"], signal), /the budget is used up/);
  t.equal(upstream.received.length, 0);
});
