import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { aiSdkProvider } from "../../../src/engine/model/ai-sdk-provider.ts";
import { openFamily as openBedrock } from "../../../src/engine/model/bedrock-model.ts";
import type {
  AssistantContent,
  ModelFailure,
  ModelPart,
  ModelRequest,
} from "../../../src/engine/model/model-provider.ts";
import { until } from "../../helpers/until.ts";
import { KEY, adapterTo, outline, partsOf, requestTo } from "./adapter.ts";
import {
  type Behaviour,
  cutsAfter,
  endsAfter,
  refuses,
  silent,
  stallsAfter,
  startUpstream,
  deadAddress,
  streams,
} from "./upstream.ts";
import { FRAMES, REMOTES, streamedErrors } from "./wire-formats.ts";

const failureIn = (parts: readonly ModelPart[]): ModelFailure => {
  const last = parts.at(-1);
  if (last?.kind !== "failed") throw new Error(`expected a failure, got ${JSON.stringify(last)}`);
  return last.failure;
};

/** Those that report the tokens which were written to the provider's cache. */
const REPORTS_WRITES: ReadonlySet<string> = new Set(["anthropic", "bedrock"]);

for (const remote of REMOTES) {
  t.test(remote, async (t) => {
    t.test("thinking, text and parallel calls are blocks that never overlap, with usage once", async (t) => {
      const upstream = await startUpstream(t, streams(FRAMES[remote]));
      const parts = await partsOf(adapterTo(remote, upstream.url), requestTo(remote));
      t.strictSame(outline(parts), [
        "thinking:Let me see.",
        "text:Hello there",
        'tool_use:call_1 list_files {"path":"."}',
        'tool_use:call_2 read_file {"path":"a"}',
        `done: tool_use 100 30 70${REPORTS_WRITES.has(remote) ? " 10" : ""}`,
      ]);
      const pieces = parts.flatMap((part) => (part.kind === "tool_input" ? [[part.tool, part.json] as const] : []));
      const written = (tool: string) =>
        pieces
          .filter(([name]) => name === tool)
          .map(([, json]) => json)
          .join("");
      t.same(["list_files", "read_file"].map(written), ['{"path":"."}', '{"path":"a"}'], "arguments come in pieces");
      t.equal(upstream.received.length, 1);
      t.ok(JSON.stringify(upstream.received[0]?.headers).includes(KEY), "with the key");
    });

    t.test("signatures are sent back unchanged, with results after their calls", async (t) => {
      const upstream = await startUpstream(t, streams(FRAMES[remote]));
      const provider = adapterTo(remote, upstream.url);
      const content = contentOf(await partsOf(provider, requestTo(remote)));
      await partsOf(
        provider,
        requestTo(remote, {
          messages: [
            { role: "user", text: "SECRET question" },
            // As it comes back from the store.
            { role: "assistant", content: JSON.parse(JSON.stringify(content)) },
            {
              role: "tool",
              results: [
                { id: "call_1", tool: "list_files", output: { entries: ["a"] }, isError: false },
                { id: "call_2", tool: "read_file", output: "no such file", isError: true },
              ],
            },
          ],
        }),
      );
      const sent = JSON.stringify(upstream.received[1]?.body);
      if (remote !== "openai-compatible") t.match(sent, "SIGNED==");
      else t.match(sent, '"reasoning_content":"Let me see."');
      const order = ["SECRET question", "Hello there", "list_files", "no such file"].map((words) =>
        sent.indexOf(words),
      );
      t.strictSame(
        order,
        order.toSorted((left, right) => left - right),
        sent,
      );
      t.notOk(order.includes(-1), "nothing is missing");
    });

    t.test("failures are classified, with messages of ours", async (t) => {
      const long = {
        error: { message: "SECRET prompt is too long: 300000 tokens > 200000 maximum", type: "invalid_request_error" },
      };
      const error = { error: { message: `SECRET ${KEY}`, type: "some_error", code: null } };
      const cases: readonly [string, Behaviour, Partial<ModelFailure>][] = [
        ["429 with retry-after", refuses(429, error, { "retry-after": "7" }), { kind: "rate_limited", retryAfterS: 7 }],
        ["429 without", refuses(429, error), { kind: "rate_limited", retryAfterS: null }],
        [
          "a used up quota",
          refuses(429, { error: { message: "x", type: "insufficient_quota", code: "insufficient_quota" } }),
          { kind: "permanent", status: 429 },
        ],
        ["529", refuses(529, error), { kind: "transient", status: 529 }],
        [
          "an HTML 502",
          refuses(502, "<html>SECRET</html>", { "retry-after": "3" }),
          { kind: "transient", status: 502, retryAfterS: 3 },
        ],
        ["408", refuses(408, error), { kind: "transient", status: 408 }],
        ["400 too long", refuses(400, long), { kind: "too_long" }],
        ["400", refuses(400, error), { kind: "permanent", status: 400 }],
        ["401", refuses(401, error), { kind: "permanent", status: 401 }],
        ["404", refuses(404, error), { kind: "permanent", status: 404 }],
        [
          "an error mid-stream",
          streams([...FRAMES[remote].slice(0, 4), streamedErrors[remote]]),
          { kind: "transient" },
        ],
        ["an error before anything", streams([streamedErrors[remote]]), { kind: "transient" }],
        ["a cut socket", cutsAfter(4, FRAMES[remote]), { kind: "transient", status: null }],
        ["a clean early end", endsAfter(4, FRAMES[remote]), { kind: "transient" }],
        ["an empty answer", streams([]), { kind: "transient" }],
        ["garbage", streams(["data: {SECRET garbage\n\n"]), { kind: "transient" }],
        ["a web page instead of a stream", refuses(200, "<html>SECRET</html>"), { kind: "transient" }],
      ];
      const seen: unknown[] = [];
      for (const [what, behaviour] of cases) {
        const upstream = await startUpstream(t, behaviour);
        const parts = await partsOf(adapterTo(remote, upstream.url), requestTo(remote));
        outline(parts);
        const failure = failureIn(parts);
        seen.push({ what, failure, requests: upstream.received.length });
      }
      const wanted = cases.map(([what, , failure]) => ({ what, failure, requests: 1 }));
      t.match(seen, wanted, "each failure is classified, and nothing is retried at this level");
      t.notMatch(JSON.stringify(seen), /SECRET|sk-/);
      const gone = failureIn(await partsOf(adapterTo(remote, await deadAddress()), requestTo(remote)));
      t.match(gone, { kind: "transient", status: null, message: /connect ECONNREFUSED/ });
    });

    t.test("a silent stream times out, and an aborted turn ends it", async (t) => {
      const deadlines = { firstMs: 400, betweenMs: 400 };
      for (const behaviour of [silent, stallsAfter(0, []), stallsAfter(4, FRAMES[remote])]) {
        const upstream = await startUpstream(t, behaviour);
        const failure = failureIn(await partsOf(adapterTo(remote, upstream.url, deadlines), requestTo(remote)));
        t.match(failure, { kind: "transient", message: `${remote} stopped responding` });
        await until("the socket is gone", () => upstream.received[0]?.closed);
      }
      for (const behaviour of [silent, stallsAfter(4, FRAMES[remote])]) {
        const upstream = await startUpstream(t, behaviour);
        const abort = new AbortController();
        const parts = partsOf(adapterTo(remote, upstream.url), requestTo(remote), abort.signal);
        await until("the call is there", () => upstream.received.length === 1);
        abort.abort(new Error("cancelled"));
        t.strictSame(failureIn(await parts), { kind: "aborted" });
        await until("the socket is gone", () => upstream.received[0]?.closed);
      }
      const upstream = await startUpstream(t, stallsAfter(4, FRAMES[remote]));
      for await (const part of adapterTo(remote, upstream.url).stream(
        requestTo(remote),
        new AbortController().signal,
      )) {
        if (part.kind === "thinking" || part.kind === "text") break;
      }
      await until("a reader that leaves takes the socket along", () => upstream.received[0]?.closed);
      const aborted = await partsOf(adapterTo(remote, upstream.url), requestTo(remote), AbortSignal.abort());
      t.strictSame(aborted, [{ kind: "failed", failure: { kind: "aborted" }, usage: null }]);
    });
  });
}

t.test("an answer may take longer than the idle timeout", async (t) => {
  const upstream = await startUpstream(t, async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const frame of FRAMES.anthropic) {
      response.write(frame);
      await sleep(110);
    }
    response.end();
  });
  const provider = adapterTo("anthropic", upstream.url, { firstMs: 1500, betweenMs: 1500 });
  t.match((await partsOf(provider, requestTo("anthropic"))).at(-1), { kind: "done" });
});

t.test("invalid JSON arguments are kept as raw input", async (t) => {
  const broken = FRAMES.anthropic.map((frame) =>
    frame.replace(String.raw`{\"path\":\"a\"}`, String.raw`{\"path\":\"a`),
  );
  const upstream = await startUpstream(t, streams(broken));
  const parts = await partsOf(adapterTo("anthropic", upstream.url), requestTo("anthropic"));
  const calls = parts.filter((part) => part.kind === "tool_use");
  t.match(calls[1], { tool: "read_file", input: null, rawInput: '{"path":"a' });
});

t.test("anthropic gets cache breakpoints, thinking options and the output limit", async (t) => {
  const upstream = await startUpstream(t, streams(FRAMES.anthropic));
  const provider = adapterTo("anthropic", upstream.url);
  const redacted = { anthropic: { redactedData: "HIDDEN" } };
  const messages = [
    { role: "user", text: "one" },
    {
      role: "assistant",
      content: [
        { kind: "thinking", text: "", signature: redacted },
        { kind: "thinking", text: "cut off before it was signed" },
        { kind: "text", text: "  \n" },
        { kind: "tool_use", id: "call_9", tool: "list_files", input: {} },
      ],
    },
    { role: "tool", results: [{ id: "call_9", tool: "list_files", output: "a", isError: false }] },
    { role: "assistant", content: [{ kind: "thinking", text: "cut off, and all there was" }] },
    { role: "user", text: "two" },
    { role: "assistant", content: [{ kind: "text", text: "yes" }] },
    { role: "user", text: "three" },
  ] as const;
  await partsOf(provider, requestTo("anthropic", { messages }));
  const body = upstream.received[0]?.body;
  t.match(body, { max_tokens: 16_000, thinking: { type: "enabled", budget_tokens: 8000 }, stream: true });
  t.equal(JSON.stringify(body).split("cache_control").length - 1, 4, "tools, system, last time and this time");
  t.match(body.system[0], { cache_control: { type: "ephemeral" } });
  t.match(body.tools.at(-1), { cache_control: { type: "ephemeral" } });
  t.match(body.messages.at(-1), { role: "user", content: [{ text: "three", cache_control: { type: "ephemeral" } }] });
  t.match(body.messages.at(-3).content.at(-1), { text: "two", cache_control: { type: "ephemeral" } });
  t.strictSame(
    body.messages.map(({ role, content }: { role: string; content: { type: string }[] }) => [
      role,
      ...content.map(({ type }) => type),
    ]),
    [
      ["user", "text"],
      ["assistant", "redacted_thinking", "tool_use"],
      ["user", "tool_result", "text"],
      ["assistant", "text"],
      ["user", "text"],
    ],
  );
  const asked = async (model: string, thinking: boolean) => {
    await partsOf(provider, requestTo("anthropic", { model, thinking }));
    return upstream.received.at(-1)?.body;
  };
  const today = await asked("claude-sonnet-5", true);
  t.match(today, { max_tokens: 16_000, thinking: { type: "adaptive", display: "summarized" } });
  t.notOk("budget_tokens" in today.thinking);
  t.equal((await asked("claude-sonnet-4-20250514", true)).thinking.type, "enabled");
  t.equal((await asked("claude-opus-4-6", true)).thinking.type, "adaptive");
  t.equal((await asked("another-makers-model", true)).thinking.type, "enabled");
  t.notOk("thinking" in (await asked("claude-3-5-haiku-20241022", true)));
  t.notOk("thinking" in (await asked("claude-sonnet-4-5", false)));
});

t.test("bedrock gets cache points and thinking options by model family", async (t) => {
  const upstream = await startUpstream(t, streams(FRAMES.bedrock));
  const provider = adapterTo("bedrock", upstream.url);
  const asked = async (more: Partial<ModelRequest>) => {
    await partsOf(provider, requestTo("bedrock", more));
    return upstream.received.at(-1)?.body;
  };
  const body = await asked({});
  t.equal(upstream.received[0]?.path, "/v1/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream");
  t.match(body.inferenceConfig, { maxTokens: 16_000 });
  t.match(body.additionalModelRequestFields, { thinking: { type: "enabled", budget_tokens: 8000 } });
  t.strictSame(body.system, [{ text: "Be brief." }, { cachePoint: { type: "default" } }]);
  t.strictSame(body.messages.at(-1).content.at(-1), { cachePoint: { type: "default" } });
  const today = await asked({ model: "global.anthropic.claude-sonnet-5" });
  t.match(today.additionalModelRequestFields, { thinking: { type: "adaptive", display: "summarized" } });
  const nova = await asked({ model: "us.amazon.nova-2-lite-v1:0" });
  t.match(nova.additionalModelRequestFields, { reasoningConfig: { type: "enabled", maxReasoningEffort: "medium" } });
  t.equal(nova.inferenceConfig.maxTokens, 16_000);
  const other = await asked({ model: "meta.llama4-maverick-17b-instruct-v1:0" });
  t.notMatch(JSON.stringify(other), /cachePoint|reasoning/);
  t.notMatch(JSON.stringify(await asked({ thinking: false })), /thinking|reasoning/);
});

t.test("an access key signs bedrock requests and is not sent", async (t) => {
  const upstream = await startUpstream(t, streams(FRAMES.bedrock));
  const apiKey = "AKIAIOSFODNN7EXAMPLE:wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY:session";
  const provider = aiSdkProvider({
    name: "bedrock",
    load: async () => openBedrock({ apiKey, baseUrl: upstream.url, region: "eu-central-1" }),
  });
  t.match((await partsOf(provider, requestTo("bedrock"))).at(-1), { kind: "done" });
  const headers = JSON.stringify(upstream.received[0]?.headers);
  t.match(headers, /AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/\d+\/eu-central-1\/bedrock\/aws4_request/);
  t.match(headers, /"x-amz-security-token":"session"/);
  t.notMatch(headers, "EXAMPLEKEY");
});

t.test("thinking is requested only if wanted and supported", async (t) => {
  const google = await startUpstream(t, streams(FRAMES.google));
  const asked = async (more: Partial<ModelRequest>) => {
    await partsOf(adapterTo("google", google.url), requestTo("google", more));
    return google.received.at(-1)?.body.generationConfig;
  };
  t.match(await asked({}), { thinkingConfig: { includeThoughts: true } });
  t.notOk("thinkingConfig" in (await asked({ thinking: false })));
  t.notOk("thinkingConfig" in (await asked({ model: "gemini-2.0-flash" })));
  const openai = await startUpstream(t, streams(FRAMES.openai));
  await partsOf(adapterTo("openai", openai.url), requestTo("openai", { thinking: false }));
  t.notOk("summary" in (openai.received[0]?.body.reasoning ?? {}));
  const compatible = await startUpstream(t, streams(FRAMES["openai-compatible"]));
  await partsOf(adapterTo("openai-compatible", compatible.url), requestTo("openai-compatible"));
  t.notMatch(compatible.received[0]?.text, /reasoning|thinking/, "a server's own affair");
});

t.test("a compatible server never gets two consecutive user messages", async (t) => {
  const upstream = await startUpstream(t, streams(FRAMES["openai-compatible"]));
  const messages = ["one", "two", "three"].map((text) => ({ role: "user", text }) as const);
  await partsOf(adapterTo("openai-compatible", upstream.url), requestTo("openai-compatible", { messages }));
  const sent = upstream.received[0]?.body.messages;
  t.strictSame(
    sent.map(({ role }: { role: string }) => role),
    ["system", "user"],
  );
  t.match(JSON.stringify(sent), /one.*two.*three/);
});

t.test("openai stores nothing and returns encrypted reasoning", async (t) => {
  const upstream = await startUpstream(t, streams(FRAMES.openai));
  await partsOf(adapterTo("openai", upstream.url), requestTo("openai"));
  t.match(upstream.received[0], {
    path: "/v1/responses",
    body: {
      store: false,
      prompt_cache_key: /^[0-9a-f]{32}$/,
      include: ["reasoning.encrypted_content"],
      reasoning: { summary: "auto" },
      max_output_tokens: 16_000,
    },
  });
});

t.test("a conversation continues with another provider", async (t) => {
  const problems: string[] = [];
  for (const from of REMOTES) {
    const first = await startUpstream(t, streams(FRAMES[from]));
    const content = contentOf(await partsOf(adapterTo(from, first.url), requestTo(from)));
    for (const to of REMOTES) {
      const second = await startUpstream(t, streams(FRAMES[to]));
      const messages = [
        { role: "user", text: "one" },
        { role: "assistant", content },
        { role: "tool", results: [{ id: "call_1", tool: "list_files", output: [], isError: false }] },
      ] as const;
      const parts = await partsOf(adapterTo(to, second.url), requestTo(to, { messages }));
      if (parts.at(-1)?.kind !== "done") problems.push(`${from} to ${to}: not answered`);
      const foreign = from !== to && JSON.stringify(second.received[0]?.body).includes("SIGNED==");
      if (foreign) problems.push(`${from} to ${to}: a foreign signature was sent`);
    }
  }
  t.same(problems, []);
});

/** As the engine stores an answer. */
function contentOf(parts: readonly ModelPart[]): readonly AssistantContent[] {
  const content: AssistantContent[] = [];
  let text = "";
  let signature: unknown;
  for (const part of parts) {
    if (part.kind === "block_start") [text, signature] = ["", undefined];
    else if (part.kind === "text") text += part.text;
    else if (part.kind === "thinking") [text, signature] = [text + part.text, part.signature ?? signature];
    else if (part.kind === "tool_use") content.push({ ...part, input: part.input ?? {} });
    else if (part.kind === "block_stop" && part.block === "text") content.push({ kind: "text", text });
    else if (part.kind === "block_stop" && part.block === "thinking") {
      content.push({ kind: "thinking", text, ...(signature !== undefined && { signature }) });
    }
  }
  return content;
}
