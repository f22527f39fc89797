import t from "tap";
import { startEngine } from "../../helpers/engine.ts";
import { KEY } from "./adapter.ts";
import { refuses, startUpstream, streams } from "./upstream.ts";
import { FRAMES, NEEDED_SETTINGS, REMOTES } from "./wire-formats.ts";

for (const remote of REMOTES) {
  t.test(`a built engine speaks to ${remote}, returns what it signed, and tells nobody the key`, async (t) => {
    const error = { error: { message: `SECRET ${KEY}`, type: "invalid_request_error" } };
    const upstream = await startUpstream(t, streams(FRAMES[remote]), refuses(400, error));
    const engine = await startEngine(t, {
      settings: {
        LLM_PROVIDER: remote,
        LLM_API_KEY: KEY,
        LLM_BASE_URL: upstream.url,
        ...NEEDED_SETTINGS[remote],
        ENGINE_LOG_LEVEL: "DEBUG",
      },
    });
    const frames = await engine.turn("task", "look around", { thinking: true });
    const seen = frames.map(({ event, data }) => [event, data]);
    t.match(
      seen.filter(([event]) => event === "thinking_delta" || event === "text_delta" || event === "tool_call"),
      remote === "openai-compatible"
        ? { length: 6 }
        : [
            ["thinking_delta", { text: "Let me see." }],
            ["text_delta", { text: "Hello " }],
            ["text_delta", { text: "there" }],
            ["tool_call", { tool: "list_files", input: { path: "." } }],
            ["tool_call", { tool: "read_file", input: { path: "a" } }],
          ],
    );
    t.match(
      seen.find(([event]) => event === "usage"),
      ["usage", { input_tokens: 100, output_tokens: 30, cache_hit_tokens: 70 }],
    );
    t.match(seen.at(-1), [
      "error",
      { error: "LLM_PROVIDER_ERROR", message: `${remote} answered 400 (invalid_request_error)` },
    ]);
    if (remote !== "openai-compatible") t.match(JSON.stringify(upstream.received[1]?.body), "SIGNED==");
    t.notMatch(JSON.stringify(seen) + engine.output(), /SECRET|sk-upstream/);
  });
}
