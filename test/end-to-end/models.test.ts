import root from "tap";
import { ask } from "../helpers/api.ts";
import { startDaemon } from "../helpers/daemon.ts";
import { openStream } from "../helpers/engine.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";
import { anthropicText, chatText } from "../engine/model/two-providers.ts";
import { refuses, startUpstream, streams } from "../engine/model/upstream.ts";

interface TestUser {
  readonly url: string;
  readonly engine_api_key: string;
}

const overloaded = refuses(529, { type: "error", error: { type: "overloaded_error" } });
const first = await startUpstream(root, overloaded);
const second = await startUpstream(root, streams(chatText("by the second")));
const third = await startUpstream(root, streams(anthropicText("by the third")));
const env = {
  ORCH_HEALTH_INTERVAL_S: "1",
  LLM_PROVIDER: "anthropic",
  LLM_API_KEY: "sk-first",
  LLM_BASE_URL: first.url,
  LLM_MODEL: "claude-sonnet-5-5",
  LLM_OPENAI_COMPATIBLE_BASE_URL: second.url,
};
const place = { dataDir: freshFolder(root), databaseUrl: await freshDatabaseUrl(root), env };
let daemon = await startDaemon(root, place);
const fallback = ["openai-compatible:local"];
const product = async (slug: string, policy: object) => {
  const body = { slug, policy: { requests_per_minute: null, fallback, ...policy } };
  const { body: made } = await daemon.admin("/products/register", { method: "POST", body });
  const provision = async (user_id: string): Promise<TestUser> =>
    (await daemon.platform(made.platform_api_key, "/engines/provision", { method: "POST", body: { user_id } })).body;
  return { provision, get: async (path: string) => (await daemon.platform(made.platform_api_key, path)).body };
};
let tasks = 0;
const turn = async (user: TestUser, more: object = {}) => {
  const headers = { "x-engine-key": user.engine_api_key };
  const body = { task_id: `task ${++tasks}`, message: "go", ...more };
  const stream = await openStream(user.url, "/execute?events=model", { headers, body });
  if (stream.status !== 200) return { status: stream.status, ...(await stream.json()) };
  const frames = await stream.all();
  const of = (event: string) => frames.filter((frame) => frame.event === event).map(({ data }) => data);
  return {
    changes: of("model_changed"),
    text: of("text_delta")
      .map(({ text }) => text)
      .join(""),
    error: of("error")[0],
  };
};
const setPolicy = (slug: string, body: object) => daemon.admin(`/products/${slug}/policy`, { method: "PUT", body });

const acme = await product("acme", {});
const [alice, bob] = [await acme.provision("alice"), await acme.provision("bob")];

root.test(
  "the daemon tells a failing model to the host's other engines, also of other products and started later",
  async (t) => {
    t.match(await turn(alice), { changes: [{ reason: "overloaded" }], text: "by the second" });
    const calls = first.received.length;
    await until("bob's engine knows", async () => {
      const { changes } = await turn(bob);
      return changes[0]?.reason === "cooldown";
    });
    // Bob's engine may have asked it before it was told.
    t.ok(first.received.length <= calls + 4, `${first.received.length} calls`);
    const before = first.received.length;
    const other = await product("other", {});
    const carol = await other.provision("carol");
    await until(
      "an engine that starts later is told",
      async () => (await turn(carol)).changes[0]?.reason === "cooldown",
    );
    t.ok(first.received.length <= before + 4, "it was told within a probe");
    const elsewhere = await product("elsewhere", {
      engine_env: { LLM_API_KEY: "sk-third", LLM_BASE_URL: third.url, LLM_OPENAI_COMPATIBLE_BASE_URL: second.url },
    });
    const dave = await elsewhere.provision("dave");
    t.match(await turn(dave), { changes: [], text: "by the third" }, "the same model at another address");
  },
);

root.test("a policy's models apply to running engines at once", async (t) => {
  t.match(await turn(alice, { model: "openai-compatible:other" }), { text: "by the second" });
  await setPolicy("acme", { allowed_models: ["openai-compatible:lo*"] });
  t.match(await turn(alice, { model: "openai-compatible:other" }), {
    status: 403,
    error: "POLICY_DENIED",
    message: /^model: .*openai-compatible:lo\*/,
  });
  t.match(await turn(alice, { model: "openai-compatible:local" }), { text: "by the second" });
  t.match(await turn(alice), { text: "by the second" }, "the model of the settings is allowed");
  await setPolicy("acme", { fallback: ["openai-compatible:next"] });
  t.match(await turn(alice), { changes: [{ to: "openai-compatible:next" }] });
  await setPolicy("acme", { fallback, allowed_models: null });
  const { status, body } = await setPolicy("acme", { fallback: ["a b"] });
  t.match([status, body], [400, { error: { message: /^fallback\.0: / } }]);
});

root.test("usage names the model that answered", async (t) => {
  await until("the usage is collected", async () => {
    const { data = [] } = await acme.get("/usage?by=model");
    return data.some(
      ({ provider, model }: Record<string, string>) => provider === "openai-compatible" && model === "local",
    );
  });
  t.pass();
});

root.test("an adopted engine is told what changed while no daemon ran", async (t) => {
  await daemon.stop("SIGKILL");
  daemon = await startDaemon(root, place);
  await setPolicy("acme", { allowed_models: [] });
  await until("the engine is told", async () => (await turn(alice, { model: "openai-compatible:x" })).status === 403);
  t.match(await ask(alice.url, "/health"), { body: { status: "ok" } });
});

root.test("products are deleted with their engines", async (t) => {
  for (const { slug } of (await daemon.admin("/products")).body.data)
    t.equal((await daemon.admin(`/products/${slug}?force=true`, { method: "DELETE" })).status, 200);
});
