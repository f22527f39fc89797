import t from "tap";
import { createProvider } from "../../../src/engine/model/create-provider.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { startUpstream } from "./upstream.ts";

const signal = AbortSignal.timeout(20_000);
const parts = { extraCaCerts: null, logger: createLogger("test", "silent") };
const settings = { apiKey: "key", region: undefined, embeddingModel: "small" } as const;
const vectors = JSON.stringify({
  object: "list",
  model: "small",
  data: [
    { object: "embedding", index: 0, embedding: [1, 0, 0.5] },
    { object: "embedding", index: 1, embedding: [0, 1, 0.5] },
  ],
  usage: { prompt_tokens: 2, total_tokens: 2 },
});

t.test("vectors come from the provider's own interface", async (t) => {
  for (const provider of ["openai", "openai-compatible"] as const) {
    const upstream = await startUpstream(t, (response) =>
      response.writeHead(200, { "content-type": "application/json" }).end(vectors),
    );
    const { embedder } = createProvider({ ...settings, provider, baseUrl: upstream.url }, parts);
    const made = await embedder?.embed(["one", "two"], { priority: "background", signal });
    t.same(made, [
      [1, 0, 0.5],
      [0, 1, 0.5],
    ]);
    t.match(upstream.received, [{ path: "/v1/embeddings", body: { model: "small", input: ["one", "two"] } }]);
  }
});

t.test("after a 429 no call is sent for a while", async (t) => {
  const upstream = await startUpstream(t, (response) =>
    response.writeHead(429, { "content-type": "application/json" }).end('{"error":{"message":"slow down"}}'),
  );
  const { embedder } = createProvider({ ...settings, provider: "openai", baseUrl: upstream.url }, parts);
  const embed = async (priority: "background" | "interactive") => embedder?.embed(["one"], { priority, signal });
  await t.rejects(embed("background"), /openai limits the rate of requests/);
  await t.rejects(embed("interactive"), /small is rate-limited; retry in/);
  t.equal(upstream.received.length, 1);
});

t.test("an error contains neither the texts nor the provider's message", async (t) => {
  const upstream = await startUpstream(t, (response) =>
    response
      .writeHead(400, { "content-type": "application/json" })
      .end('{"error":{"message":"no SECRET text, please"}}'),
  );
  const lines: string[] = [];
  const logger = createLogger("test", "debug", { write: (line: string) => void lines.push(line) });
  const { embedder } = createProvider({ ...settings, provider: "openai", baseUrl: upstream.url }, parts);
  const failed = await embedder?.embed(["SECRET text"], { priority: "background", signal }).catch((error) => error);
  logger.warn({ err: failed }, "a pass failed");
  t.match(failed, { message: /openai answered 400/ });
  t.notMatch(lines.join(""), /SECRET/);
});

t.test("without an embedding model there is no embedder", async (t) => {
  const without = { ...settings, embeddingModel: null, provider: "openai", baseUrl: undefined } as const;
  t.equal(createProvider(without, parts).embedder, undefined);
});
