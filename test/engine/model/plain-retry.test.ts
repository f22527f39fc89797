import t from "tap";
import { createProvider } from "../../../src/engine/model/create-provider.ts";
import type { ModelMessage } from "../../../src/engine/model/model-provider.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { KEY, outline, partsOf, requestTo } from "./adapter.ts";
import { type Behaviour, refuses, startUpstream, streams } from "./upstream.ts";
import { FRAMES, REMOTES } from "./wire-formats.ts";
import { problemsIn } from "./wire/strict-providers.ts";

const REFUSAL = refuses(400, { error: { message: "SECRET messages.7: for no reason", type: "invalid_request_error" } });
const HISTORY: readonly ModelMessage[] = [
  { role: "user", text: "what is in a?" },
  {
    role: "assistant",
    content: [
      { kind: "thinking", text: "hm", signature: { anthropic: { signature: "S" }, google: { thoughtSignature: "S" } } },
      { kind: "tool_use", id: "a", tool: "read_file", input: { path: "a" } },
    ],
  },
  { role: "tool", results: [{ id: "a", tool: "read_file", output: "seven", isError: false }] },
];

async function against(
  test: Parameters<typeof startUpstream>[0],
  remote: (typeof REMOTES)[number],
  ...behaviours: Behaviour[]
) {
  const upstream = await startUpstream(test, ...behaviours);
  const lines: string[] = [];
  const logger = createLogger("test", "warn", { write: (line: string) => void lines.push(line) });
  const provider = createProvider(
    { provider: remote, apiKey: KEY, baseUrl: upstream.url },
    { extraCaCerts: null, logger },
  );
  const parts = await partsOf(provider, requestTo(remote, { messages: HISTORY }));
  return { upstream, lines, parts };
}

for (const remote of REMOTES) {
  t.test(`a history that ${remote} refuses is sent once more as plain text, and the log says so`, async (t) => {
    const { upstream, lines, parts } = await against(t, remote, REFUSAL, streams(FRAMES[remote]));
    t.match(outline(parts).at(-1), /^done/);
    t.equal(upstream.received.length, 2);
    const { body, text } = upstream.received[1] ?? { body: null, text: "" };
    t.match(text, /what is in a\?.*called the tool read_file.*answered: seven/s);
    t.notMatch(text, /"tool_use"|"tool_calls"|"functionCall"|"toolUse"|"function_call"|"thinking"|"reasoning_content"/);
    t.strictSame(problemsIn(remote, body), []);
    t.equal(lines.filter((line) => line.includes("plain text")).length, 1);
    t.notMatch(lines.join(""), /SECRET|seven/);
  });
}

t.test("a second refusal fails the call, and other failures are not retried", async (t) => {
  const again = await against(t, "anthropic", REFUSAL);
  t.equal(again.upstream.received.length, 2);
  t.match(again.parts, [{ kind: "failed", failure: { kind: "permanent", status: 400 } }]);
  const words = [
    "Your credit balance is too low",
    "API key not valid",
    "the model `x` does not exist",
    "prompt is too long",
  ];
  const others = words.map((message) => refuses(400, { error: { message, type: "invalid_request_error" } }));
  for (const behaviour of [...others, refuses(401, {}), refuses(404, {})])
    t.equal((await against(t, "openai", behaviour)).upstream.received.length, 1);
  const plain = await startUpstream(t, REFUSAL);
  const provider = createProvider(
    { provider: "anthropic", apiKey: KEY, baseUrl: plain.url },
    { extraCaCerts: null, logger: createLogger("test", "silent") },
  );
  await partsOf(provider, requestTo("anthropic", { tools: [] }));
  t.equal(plain.received.length, 1, "nothing of it could be said more plainly");
});
