import t from "tap";
import { openCallKey, sealingKeyOf } from "../../../src/contract/broker/call-key.ts";
import { EnvironmentReader } from "../../../src/shared/environment.ts";
import { readEngineSettings } from "../../../src/contract/settings/engine-settings.ts";
import { engineProviders } from "../../../src/contract/settings/upstreams.ts";
import { brokeredSettings } from "../../../src/orchestrator/supervision/brokered-settings.ts";

const sealingKey = sealingKeyOf("the secret of a deployment");
const url = "http://127.0.0.1:12345";

function given(settings: Record<string, string>) {
  let asked = 0;
  const access = () => {
    asked++;
    return { url, sealingKey };
  };
  const engine = { engine: "eng_1", incarnation: "one" };
  const seen = brokeredSettings(settings, engineProviders(settings), { engine, access });
  const problems: string[] = [];
  const read = new EnvironmentReader(seen);
  const config = readEngineSettings(read, (problem) => problems.push(problem));
  return {
    seen,
    asked: () => asked,
    config,
    problems,
    route: (key: string | undefined) => openCallKey(sealingKey, key ?? ""),
  };
}

t.test(
  "each provider of an engine has the broker's address and a key of its own, which names its own address",
  async (t) => {
    const { seen, config, route } = given({
      LLM_API_KEY: "sk-main",
      LLM_MODEL: "claude",
      LLM_OPENAI_API_KEY: "sk-openai",
      LLM_OPENAI_BASE_URL: "https://user:word@proxy.example/v1?key=abc",
      LLM_OPENAI_COMPATIBLE_BASE_URL: "http://10.0.0.1:11434/v1",
      LLM_GOOGLE_BASE_URL: "https://without.key",
      ENGINE_LOG_LEVEL: "DEBUG",
      LLM_REQUESTS_PER_MINUTE: "600",
    });
    t.equal(config.provider, "anthropic", "the default that follows from a key");
    t.match(route(seen["LLM_API_KEY"]), { provider: "anthropic", apiKey: "sk-main", baseUrl: null, engine: "eng_1" });
    t.match(route(seen["LLM_OPENAI_API_KEY"]), {
      provider: "openai",
      apiKey: "sk-openai",
      baseUrl: /word@proxy/,
      requestsPerMinute: 600,
    });
    t.match(route(seen["LLM_OPENAI_COMPATIBLE_API_KEY"]), { provider: "openai-compatible", apiKey: null });
    t.equal(seen["LLM_GOOGLE_BASE_URL"], undefined, "a provider without a key cannot be called");
    t.same(
      [seen["LLM_BASE_URL"], seen["LLM_OPENAI_BASE_URL"], seen["LLM_OPENAI_COMPATIBLE_BASE_URL"]],
      [url, url, url],
    );
    t.same([...config.upstreams.keys()].toSorted(), ["openai", "openai-compatible", "sandbox"]);
    t.match(seen, { LLM_MODEL: "claude", ENGINE_LOG_LEVEL: "DEBUG" });
    t.notMatch(JSON.stringify(seen), /sk-main|sk-openai|word@|without\.key/);
  },
);

t.test(
  "the key and the address of an embeddings endpoint stay in the broker, also of an engine of the sandbox",
  async (t) => {
    const settings = {
      ENGINE_EMBEDDINGS_URL: "https://user:word@vectors.example/v1",
      ENGINE_EMBEDDINGS_MODEL: "small",
    };
    const { seen, config, route } = given({ ...settings, ENGINE_EMBEDDINGS_KEY: "sk-vectors" });
    t.match(route(seen["ENGINE_EMBEDDINGS_KEY"]), {
      provider: "openai-compatible",
      apiKey: "sk-vectors",
      engine: "eng_1",
    });
    t.match(config.embeddings, { url, model: "small", apiKey: /^orchm_/ });
    t.notMatch(JSON.stringify(seen), /sk-vectors|word@/);
    t.match(route(given(settings).seen["ENGINE_EMBEDDINGS_KEY"]), { apiKey: null });
    const wrong = given({ ...settings, ENGINE_EMBEDDINGS_URL: "vectors.example" });
    t.equal(wrong.seen["ENGINE_EMBEDDINGS_URL"], "vectors.example", "the engine says what is wrong");
  },
);

t.test("an engine of the sandbox needs no broker, and gets no key that it does not use", async (t) => {
  const { seen, asked } = given({ LLM_PROVIDER: "sandbox", LLM_API_KEY: "sk-unused", LLM_BASE_URL: "http://unused" });
  t.same(seen, { LLM_PROVIDER: "sandbox" });
  t.equal(asked(), 0);
  t.same(given({}).seen, { LLM_PROVIDER: "sandbox" });
});

t.test("the engine reports what its settings lack, as it did before", async (t) => {
  t.match(given({ LLM_PROVIDER: "openai" }).problems, [/^LLM_API_KEY: expected the key of openai/]);
  t.match(given({ LLM_PROVIDER: "openai-compatible", LLM_MODEL: "m" }).problems, [/^LLM_BASE_URL/]);
  const { config } = given({ LLM_PROVIDER: "bedrock", LLM_API_KEY: "k", LLM_REGION: "eu-west-1", LLM_MODEL: "m" });
  t.equal(config.region, "eu-west-1");
  t.throws(() => {
    const seen = given({ LLM_PROVIDER: "anthropic", LLM_API_KEY: "k", LLM_BASE_URL: "nowhere" }).seen;
    const read = new EnvironmentReader(seen);
    readEngineSettings(read, () => undefined);
    read.done();
  }, /LLM_BASE_URL: expected a URL/);
});
