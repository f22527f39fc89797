import t from "tap";
import { createProvider } from "../../../src/engine/model/create-provider.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { KEY, adapterTo, partsOf, requestTo } from "./adapter.ts";
import { refuses, startUpstream, streams } from "./upstream.ts";
import { FRAMES, type Remote } from "./wire-formats.ts";

/** The fields of a request that say how much a model reasons. */
async function sent(
  remote: Remote,
  model: string,
  { thinking = false, effort = "low" }: { thinking?: boolean; effort?: "low" | "high" | null } = {},
) {
  const upstream = await startUpstream(t, streams(FRAMES[remote]));
  const { effort: _, ...request } = requestTo(remote, { model, thinking });
  await partsOf(adapterTo(remote, upstream.url), { ...request, ...(effort && { effort }) });
  const { body } = upstream.received[0] ?? {};
  return {
    ...(body.thinking && { thinking: body.thinking }),
    ...(body.output_config && { output_config: body.output_config }),
    ...(body.reasoning && { reasoning: body.reasoning }),
    ...(body.reasoning_effort && { reasoning_effort: body.reasoning_effort }),
    ...(body.generationConfig?.thinkingConfig && { thinkingConfig: body.generationConfig.thinkingConfig }),
    ...(body.additionalModelRequestFields && { fields: body.additionalModelRequestFields }),
  };
}

t.test("each provider gets the effort in its own field, and models without one get none", async (t) => {
  t.same(await sent("anthropic", "claude-sonnet-5-5"), { output_config: { effort: "low" } });
  t.match(await sent("anthropic", "claude-sonnet-5-5", { thinking: true, effort: "high" }), {
    thinking: { type: "adaptive" },
    output_config: { effort: "high" },
  });
  t.same(await sent("anthropic", "claude-sonnet-4-5"), {});
  t.match(await sent("anthropic", "claude-sonnet-4-5", { thinking: true }), { thinking: { budget_tokens: 4000 } });
  t.same(await sent("openai", "gpt-5.1"), { reasoning: { effort: "low" } });
  t.same(await sent("openai", "gpt-5.1", { thinking: true, effort: "high" }), {
    reasoning: { effort: "high", summary: "auto" },
  });
  t.same(await sent("openai", "gpt-4o"), {});
  t.same(await sent("google", "gemini-3.8-flash"), { thinkingConfig: { thinkingLevel: "low" } });
  t.match(await sent("google", "gemini-2.5-pro", { thinking: true, effort: "high" }), {
    thinkingConfig: { includeThoughts: true, thinkingBudget: Number },
  });
  t.same(await sent("google", "gemma-3-27b-it"), {});
  t.same(await sent("openai-compatible", "any"), { reasoning_effort: "low" });
  t.same(await sent("bedrock", "openai.gpt-oss-120b-1:0"), { fields: { reasoning_effort: "low" } });
  t.same(await sent("bedrock", "us.anthropic.claude-sonnet-5-5-v1:0"), {
    fields: { output_config: { effort: "low" } },
  });
  t.same(await sent("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"), {});
});

t.test("without an effort no provider gets one", async (t) => {
  t.same(await sent("openai", "gpt-5.1", { effort: null }), {});
  t.same(await sent("openai-compatible", "any", { effort: null }), {});
  t.same(await sent("anthropic", "claude-sonnet-5-5", { effort: null }), {});
});

t.test("a server that refuses the effort gets the request once more without it", async (t) => {
  const upstream = await startUpstream(
    t,
    refuses(400, { error: { message: "unknown field" } }),
    streams(FRAMES["openai-compatible"]),
  );
  const provider = createProvider(
    { provider: "openai-compatible", apiKey: KEY, baseUrl: upstream.url },
    { extraCaCerts: null, logger: createLogger("test", "silent") },
  );
  const parts = await partsOf(provider, requestTo("openai-compatible", { tools: [], effort: "high" }));
  t.match(parts.at(-1), { kind: "done" });
  t.match(upstream.received, [{ body: { reasoning_effort: "high" } }, { body: { reasoning_effort: undefined } }]);
});
