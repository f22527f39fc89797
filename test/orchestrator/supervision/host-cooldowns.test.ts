import t from "tap";
import { engineProviders } from "../../../src/contract/settings/upstreams.ts";
import { HostCooldowns } from "../../../src/orchestrator/supervision/host-cooldowns.ts";

const anthropic = engineProviders({ LLM_PROVIDER: "anthropic", LLM_API_KEY: "key a", LLM_OPENAI_API_KEY: "key o" });
/** The same accounts, the other way round. */
const openai = engineProviders({ LLM_PROVIDER: "openai", LLM_API_KEY: "key o", LLM_ANTHROPIC_API_KEY: "key a" });
const otherKey = engineProviders({ LLM_PROVIDER: "anthropic", LLM_API_KEY: "another" });
const elsewhere = engineProviders({ LLM_PROVIDER: "anthropic", LLM_API_KEY: "key a", LLM_BASE_URL: "http://there" });
const busy = (model: string, forMs = 10_000) => ({ model, reason: "overloaded", for_ms: forMs }) as const;

function scene() {
  let now = 1000;
  let changes = 0;
  const cooldowns = new HostCooldowns(() => now);
  cooldowns.onChange(() => changes++);
  return { cooldowns, pass: (ms: number) => (now += ms), changes: () => changes };
}

t.test("engines share what fails at the same address with the same key", async (t) => {
  const { cooldowns } = scene();
  cooldowns.add(anthropic, [busy("claude"), busy("openai:gpt")]);
  const expected = [{ model: "anthropic:claude" }, { model: "openai:gpt" }];
  t.match(cooldowns.of(anthropic), expected);
  t.match(cooldowns.of(openai), expected.toReversed());
  t.same(cooldowns.of(otherKey), []);
  t.same(cooldowns.of(elsewhere), []);
});

t.test("a model of a provider that the engine cannot call is ignored", async (t) => {
  const { cooldowns, changes } = scene();
  cooldowns.add(otherKey, [busy("openai:gpt"), busy("google:gemini")]);
  t.equal(changes(), 0);
});

t.test("a cooldown ends, and a report of the same one is no change", async (t) => {
  const { cooldowns, pass, changes } = scene();
  cooldowns.add(anthropic, [busy("claude", 10_000)]);
  pass(4000);
  cooldowns.add(openai, [busy("anthropic:claude", 6000)]);
  t.equal(changes(), 1);
  cooldowns.add(openai, [busy("anthropic:claude", 10_000)]);
  t.equal(changes(), 1, "four seconds longer");
  t.match(cooldowns.of(anthropic), [{ for_ms: 6000 }]);
  cooldowns.add(anthropic, [busy("claude", 30_000)]);
  t.equal(changes(), 2, "it failed again");
  pass(30_000);
  t.same(cooldowns.of(anthropic), []);
});

t.test("an engine that reports very many models pushes out only those of its own account", async (t) => {
  const { cooldowns } = scene();
  cooldowns.add(otherKey, [busy("claude")]);
  for (let batch = 0; batch < 3; batch++)
    cooldowns.add(
      anthropic,
      Array.from({ length: 100 }, (_, at) => busy(`m${batch} ${at}`)),
    );
  t.equal(cooldowns.of(anthropic).length, 100);
  t.match(cooldowns.of(otherKey), [{ model: "anthropic:claude" }]);
});
