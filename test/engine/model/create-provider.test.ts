import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { LLMock } from "@copilotkit/aimock";
import t from "tap";
import { createProvider } from "../../../src/engine/model/create-provider.ts";
import type { ModelProvider } from "../../../src/engine/model/model-provider.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { KEY, adapterTo, outline, partsOf, requestTo } from "./adapter.ts";
import { refuses, startUpstream, streams } from "./upstream.ts";
import { FRAMES, REMOTES } from "./wire-formats.ts";

const here = import.meta.dirname;
const root = join(here, "../../..");
const remote = (provider: (typeof REMOTES)[number], baseUrl: string, extraCaCerts: string | null = null) =>
  createProvider({ provider, apiKey: KEY, baseUrl }, { extraCaCerts, logger: createLogger("test", "silent") });

const sourcesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));

t.test("no provider package is loaded before the first call", async (t) => {
  const folder = join(root, "src/engine/model");
  for (const file of sourcesIn(folder).filter((name) => !name.endsWith("-model.ts"))) {
    t.notMatch(readFileSync(join(folder, file), "utf8"), /^import (?!type)[^;]*"@ai-sdk/m, file);
  }
  const nobody = createProvider(
    { provider: "anthropic", apiKey: KEY, baseUrl: "no address" },
    { extraCaCerts: "/none", logger: createLogger("test", "silent") },
  );
  t.equal(nobody.name, "anthropic");
});

t.test("a rate-limited call is retried", async (t) => {
  const upstream = await startUpstream(t, refuses(429, {}, { "retry-after": "1" }), streams(FRAMES.anthropic));
  const parts = await partsOf(remote("anthropic", upstream.url), requestTo("anthropic"));
  t.match(parts.at(-1), { kind: "done" });
  t.equal(upstream.received.length, 2);
});

t.test("a retry-after above a minute fails at once", async (t) => {
  const upstream = await startUpstream(t, refuses(429, {}, { "retry-after": "120" }));
  const parts = await partsOf(remote("openai", upstream.url), requestTo("openai"));
  t.match(parts, [{ kind: "failed", failure: { kind: "rate_limited", retryAfterS: 120 } }]);
  t.equal(upstream.received.length, 1);
});

t.test("a model is not called again before its retry-after", async (t) => {
  const upstream = await startUpstream(t, refuses(429, {}, { "retry-after": "120" }));
  const provider = remote("anthropic", upstream.url);
  const request = requestTo("anthropic", { priority: "background" });
  t.match(await partsOf(provider, request), [{ failure: { kind: "rate_limited", retryAfterS: 120 } }]);
  t.match(await partsOf(provider, request), [{ failure: { kind: "rate_limited" } }]);
  t.equal(upstream.received.length, 1);
});

t.test("extra CA certificates are trusted in addition to the default ones", async (t) => {
  const tls = (file: string) => join(here, "tls", file);
  const server = createServer(
    { cert: readFileSync(tls("server.pem")), key: readFileSync(tls("server.key")) },
    (_request, response) =>
      response.writeHead(200, { "content-type": "text/event-stream" }).end(FRAMES.anthropic.join("")),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `https://localhost:${(server.address() as AddressInfo).port}/v1`;
  const ending = async (extraCaCerts: string | null) =>
    (await partsOf(remote("anthropic", url, extraCaCerts), requestTo("anthropic"))).at(-1);
  t.match(await ending(null), { failure: { kind: "permanent", message: /not trusted/ } });
  t.match(await ending("/nowhere.pem"), { failure: { kind: "permanent", message: /extra CA certificates.*ENOENT/ } });
  t.match(await ending(tls("server.key")), { failure: { kind: "permanent", message: /extra CA certificates/ } });
  t.match(await ending(tls("ca.pem")), { kind: "done" });
});

t.test("an independent mock of each provider accepts our requests", async (t) => {
  const mock = new LLMock({ port: 0, chunkSize: 5 });
  const usage = {
    input_tokens: 40,
    output_tokens: 7,
    prompt_tokens: 40,
    completion_tokens: 7,
    promptTokenCount: 40,
    candidatesTokenCount: 7,
  };
  mock.onMessage("greet", { content: "Hello from elsewhere", reasoning: "They greet.", usage });
  mock.on(
    { userMessage: "look", hasToolResult: false },
    {
      toolCalls: [
        { name: "list_files", arguments: '{"path":"."}', id: "call_1" },
        { name: "read_file", arguments: '{"path":"a"}', id: "call_2" },
      ],
      usage,
    },
  );
  mock.on({ userMessage: "look", hasToolResult: true }, { content: "I looked", usage });
  mock.onMessage("slip", { error: { message: `SECRET ${KEY}`, type: "invalid_request_error" }, status: 400 });
  mock.onMessage("wait", { error: { message: "slow down", type: "rate_limit_error" }, status: 429, retryAfter: 90 });
  mock.onMessage("cut", { content: "x".repeat(2000) }, { truncateAfterChunks: 20 });
  await mock.start();
  t.teardown(() => mock.stop());
  for (const name of REMOTES) {
    const baseUrl = `${mock.url}${{ google: "/v1beta", bedrock: "" }[name as string] ?? "/v1"}`;
    const provider = remote(name, baseUrl);
    const say = (text: string, to: ModelProvider = provider) =>
      partsOf(to, requestTo(name, { messages: [{ role: "user", text }] }));
    const greeting = outline(await say("greet"));
    t.match(greeting.slice(-2), ["text:Hello from elsewhere", /^done: stop 40 /], name);
    const calls = await say("look");
    t.strictSame(
      outline(calls).filter((line) => line.startsWith("tool_use")),
      ['tool_use:call_1 list_files {"path":"."}', 'tool_use:call_2 read_file {"path":"a"}'],
      name,
    );
    const answered = await partsOf(
      provider,
      requestTo(name, {
        messages: [
          { role: "user", text: "look" },
          {
            role: "assistant",
            content: calls.flatMap((part) => (part.kind === "tool_use" ? [{ ...part, input: part.input ?? {} }] : [])),
          },
          {
            role: "tool",
            results: [
              { id: "call_1", tool: "list_files", output: { entries: ["a"] }, isError: false },
              { id: "call_2", tool: "read_file", output: "gone", isError: true },
            ],
          },
        ],
      }),
    );
    t.match(outline(answered).slice(-2), ["text:I looked", /^done: stop/], name);
    t.match(await say("slip"), [{ kind: "failed", failure: { kind: "permanent", status: 400 } }], name);
    t.notMatch(JSON.stringify(await say("slip")), /SECRET|sk-/);
    t.match(await say("wait"), [{ kind: "failed", failure: { kind: "rate_limited", retryAfterS: 90 } }], name);
    t.match(
      (await say("cut", adapterTo(name, baseUrl))).at(-1),
      { kind: "failed", failure: { kind: "transient" } },
      name,
    );
  }
});
