import t from "tap";
import { canonicalName, permitsModel, readModelName } from "../../src/contract/settings/model-name.ts";
import { policyPatch } from "../../src/contract/orchestrator/policy-schemas.ts";

t.test("a model's name begins with its provider, unless it is the engine's", async (t) => {
  const rows = [
    ["claude-sonnet-5-5", "anthropic", "claude-sonnet-5-5"],
    ["openai:gpt-6", "openai", "gpt-6"],
    ["openai-compatible:llama3.3:latest", "openai-compatible", "llama3.3:latest"],
    // Names of routers, of Bedrock and of Ollama are none of ours.
    ["openai/gpt-oss-20b:free", "anthropic", "openai/gpt-oss-20b:free"],
    ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "anthropic", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"],
    ["llama3.3:latest", "anthropic", "llama3.3:latest"],
  ] as const;
  for (const [name, provider, model] of rows) t.same(readModelName(name, "anthropic"), { provider, model }, name);
  t.equal(canonicalName("anthropic:claude", "anthropic"), "claude");
  t.equal(canonicalName("openai:gpt-6", "anthropic"), "openai:gpt-6");
});

t.test("a list permits models by name and by the beginning of names, of one provider", async (t) => {
  const permits = (list: readonly string[] | null, name: string) => permitsModel(list, name, "anthropic");
  t.equal(permits(null, "anything"), true);
  t.equal(permits([], "claude"), false);
  t.equal(permits(["claude-*"], "claude-5"), true);
  t.equal(permits(["anthropic:claude-*"], "claude-5"), true);
  t.equal(permits(["claude-*"], "openai:claude-5"), false);
  t.equal(permits(["openai:*"], "openai:gpt-6"), true);
  t.equal(permits(["*"], "openai:gpt-6"), false);
  t.equal(permits(["*"], "claude"), true);
});

t.test("a policy's lists of models are checked, and the problem names the entry", async (t) => {
  const problem = (patch: object) => policyPatch.safeParse(patch).error?.issues[0]?.path.join(".") ?? null;
  t.equal(problem({ allowed_models: ["claude-*", "openai:gpt-6"], fallback: ["openai:gpt-6"] }), null);
  t.equal(problem({ allowed_models: null, fallback: [] }), null);
  t.equal(problem({ allowed_models: ["a", "b c"] }), "allowed_models.1");
  t.equal(problem({ allowed_models: ["*x"] }), "allowed_models.0");
  t.equal(problem({ fallback: ["claude-*"] }), "fallback.0");
  t.equal(problem({ fallback: null }), "fallback");
  t.equal(problem({ fallback: Array.from({ length: 9 }, () => "m") }), "fallback");
});
