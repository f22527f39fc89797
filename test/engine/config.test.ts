import t from "tap";
import { readEngineConfig } from "../../src/engine/config.ts";
import { InvalidSettings } from "../../src/shared/environment.ts";

const problemsOf = (settings: Readonly<Record<string, string>>): readonly string[] => {
  try {
    readEngineConfig(settings);
  } catch (error) {
    if (error instanceof InvalidSettings) return error.problems;
    throw error;
  }
  return [];
};

t.test("without a setting the engine is a sandbox", async (t) => {
  t.match(readEngineConfig({}), {
    provider: "sandbox",
    apiKey: undefined,
    baseUrl: undefined,
    region: undefined,
    model: "sandbox",
    lightModel: "sandbox",
    plannerModel: "sandbox",
    wordVectors: null,
    contextWindow: null,
    deadlines: { firstMs: 60_000, betweenMs: 120_000 },
    reactiveCompact: true,
    cacheHitMonitor: false,
    titles: "words",
    toolConcurrency: 10,
    logLevel: "info",
  });
});

t.test("a bad value stops the boot and names its variable", async (t) => {
  const cases: readonly [string, readonly string[]][] = [
    ["REACTIVE_COMPACT_ENABLED", ["1", "yes", "TRUE", "True", " true", "false "]],
    ["CACHE_HIT_MONITOR_ENABLED", ["0", "on", "FALSE"]],
    ["LLM_PROVIDER", ["Anthropic", "claude"]],
    ["LLM_BASE_URL", ["localhost:8080", "ftp://host/", "no address"]],
    ["LLM_REGION", ["Frankfurt", "us east 1", "https://host/"]],
    ["LLM_CONTEXT_WINDOW", ["1e6", "200k", "100", "-1", "0x10"]],
    ["LLM_FIRST_TOKEN_TIMEOUT_S", ["60s", "0", "291", "1.5"]],
    ["LLM_SILENCE_TIMEOUT_S", ["never", "0"]],
    ["ORCH_CODE_MAX_TOOL_USE_CONCURRENCY", ["0", "1001", "ten"]],
    ["ENGINE_WORD_VECTORS", ["words", "./words", "None"]],
    ["ENGINE_TITLES", ["Model", "on", "true"]],
    ["ENGINE_LOG_LEVEL", ["VERBOSE", "1"]],
  ];
  for (const [name, values] of cases) {
    const problems = values.map((value) => problemsOf({ [name]: value, LLM_API_KEY: "key" }));
    const named = (each: readonly string[]) => each.length === 1 && each[0]?.startsWith(`${name}: expected `);
    t.same(
      problems.filter((each) => !named(each)),
      [],
      name,
    );
  }
});

t.test("every problem is reported at once", async (t) => {
  t.equal(
    problemsOf({ REACTIVE_COMPACT_ENABLED: "maybe", LLM_CONTEXT_WINDOW: "big", LLM_PROVIDER: "bedrock" }).length,
    5,
    "two bad values; no key, no model and no region",
  );
});

t.test("a provider says what it cannot do without", async (t) => {
  t.match(problemsOf({ LLM_PROVIDER: "anthropic" }), [/^LLM_API_KEY/]);
  t.match(problemsOf({ LLM_PROVIDER: "openai-compatible" }), [/^LLM_MODEL/, /^LLM_BASE_URL/]);
  t.match(problemsOf({ LLM_PROVIDER: "bedrock", LLM_API_KEY: "k", LLM_MODEL: "m" }), [/^LLM_REGION/]);
  t.strictSame(
    problemsOf({ LLM_PROVIDER: "bedrock", LLM_API_KEY: "k", LLM_MODEL: "m", LLM_REGION: "us-gov-west-1" }),
    [],
  );
  t.notMatch(problemsOf({ LLM_PROVIDER: "none", LLM_API_KEY: "sk-SECRET" }).join(" "), "SECRET");
});

t.test("models with a task of their own are the main model where none is named", async (t) => {
  t.match(readEngineConfig({ LLM_API_KEY: "k", LLM_MODEL: "big" }), { lightModel: "big", plannerModel: "big" });
  t.match(readEngineConfig({ LLM_API_KEY: "k", LIGHT_MODEL: "small", PLANNER_MODEL: "wise" }), {
    lightModel: "small",
    plannerModel: "wise",
  });
});

t.test("an embeddings endpoint has an address and a model", async (t) => {
  t.equal(readEngineConfig({}).embeddings, null);
  const endpoint = { ENGINE_EMBEDDINGS_URL: "http://127.0.0.1:11434/v1", ENGINE_EMBEDDINGS_MODEL: "small" };
  t.same(readEngineConfig({ ...endpoint, ENGINE_EMBEDDINGS_KEY: "k" }).embeddings, {
    url: "http://127.0.0.1:11434/v1",
    model: "small",
    apiKey: "k",
  });
  t.match(problemsOf({ ENGINE_EMBEDDINGS_URL: "http://127.0.0.1/v1" }), [
    /^ENGINE_EMBEDDINGS_MODEL: expected the name/,
  ]);
  t.match(problemsOf({ ENGINE_EMBEDDINGS_MODEL: "m" }), [/^ENGINE_EMBEDDINGS_URL: expected the address/]);
  t.match(problemsOf({ ...endpoint, ENGINE_EMBEDDINGS_URL: "host/v1" }), [/^ENGINE_EMBEDDINGS_URL: expected a URL/]);
  t.match(problemsOf({ ...endpoint, ENGINE_EMBEDDINGS_URL: "https://host/v1/embeddings" }), [
    /^ENGINE_EMBEDDINGS_URL: expected the address without \/embeddings/,
  ]);
});
