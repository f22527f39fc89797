import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import t from "tap";
import { startEngine } from "../../helpers/engine.ts";
import { until } from "../../helpers/until.ts";
import { type Behaviour, startUpstream, streams } from "../model/upstream.ts";

const words = (count: number): string => "lorem ".repeat(count).trim();
type Frames = Awaited<ReturnType<Awaited<ReturnType<typeof startEngine>>["turn"]>>;
const compactions = (frames: Frames) =>
  frames.filter(({ event }) => event === "compaction_event").map(({ data }) => data);
const names = (frames: Frames) => frames.map(({ event }) => event);

t.test("a sandbox command triggers a compaction", async (t) => {
  const engine = await startEngine(t);
  t.match((await engine.turn("task", "/compact\n/say nothing to compact")).at(-1)?.data, { phase: "completed" });
  await engine.turn("task", `/say ${words(200)}`);
  const frames = await engine.turn("task", "/compact\n/say it fits now");
  t.match(compactions(frames), [
    { before_tokens: Number, after_tokens: Number, strategy: "summary", summarised_turn_ids: [/^turn_/, /^turn_/] },
  ]);
  t.match(names(frames), ["thread_lifecycle", "usage", "compaction_event", "content_block_start", "text_delta"]);
  t.match(frames.at(-1)?.data, { phase: "completed" });
  t.equal(
    frames.map(({ event, data }) => (event === "text_delta" ? String(data["text"]) : "")).join(""),
    "it fits now",
  );
  const replayed = await engine.call(`/execute/replay?after=0&task_id=task`);
  t.match(JSON.stringify(replayed.body), "compaction_event");
});

t.test("a sandbox conversation is compacted automatically in a small window", async (t) => {
  const engine = await startEngine(t, { settings: { LLM_CONTEXT_WINDOW: "24000" } });
  const frames: Frames[number][] = [];
  await engine.turn("task", "/say noted: locker 4417-B");
  for (let turn = 0; turn < 14; turn++) {
    const calls = Array.from({ length: 4 }, () => "/tool list_files {}").join("\n/say next\n");
    frames.push(...(await engine.turn("task", `${calls}\n/say ${words(900)}`)));
  }
  const strategies = new Set(compactions(frames).map(({ strategy }) => strategy));
  t.ok(strategies.has("summary"), JSON.stringify(compactions(frames)));
  t.notOk(
    frames.some(({ event }) => event === "error"),
    JSON.stringify(frames.find(({ event }) => event === "error")),
  );
  const text = (await engine.turn("task", "what do you know?")).map(({ data }) => String(data["text"] ?? "")).join("");
  t.match(text, /You said/, "it goes on with the conversation");
});

t.test("with reactive compaction off, the provider's rejection ends the turn", async (t) => {
  const engine = await startEngine(t, { settings: { REACTIVE_COMPACT_ENABLED: "false" } });
  await engine.turn("task", "/say hello");
  t.match((await engine.turn("task", "/compact\n/say no")).at(-1)?.data, {
    error: "LLM_PROVIDER_ERROR",
    details: { reason: "context_too_long" },
  });
});

const frame = (type: string, more: object = {}) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
/** An answer of one text, counted as so many tokens. */
const says = (text: string, inputTokens: number): Behaviour =>
  streams([
    frame("message_start", {
      message: {
        id: "m",
        type: "message",
        role: "assistant",
        model: "m",
        content: [],
        stop_reason: null,
        usage: { input_tokens: inputTokens, output_tokens: 1 },
      },
    }),
    frame("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    frame("content_block_delta", { index: 0, delta: { type: "text_delta", text } }),
    frame("content_block_stop", { index: 0 }),
    frame("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 9 } }),
    frame("message_stop"),
  ]);

t.test("an engine killed during a compaction keeps the old context and compacts after the restart", async (t) => {
  let tokens = 1000;
  let hold = true;
  let held = 0;
  const upstream = await startUpstream(t, (response) => {
    const isSummary = upstream.received.at(-1)?.body.model === "claude-light";
    if (isSummary && hold) return void held++;
    return says(isSummary ? "They talked." : "yes", isSummary ? 100 : tokens)(response);
  });
  const settings = {
    LLM_PROVIDER: "anthropic",
    LLM_API_KEY: "key",
    LLM_BASE_URL: upstream.url,
    LIGHT_MODEL: "claude-light",
  };
  const dataDir = t.testdir();
  const first = await startEngine(t, { settings, dataDir });
  await first.turn("task", words(300));
  tokens = 180_000;
  await first.turn("task", words(300));
  const cut = await first.execute({ task_id: "task", message: "go on" });
  await until("the summary is asked for", () => held === 1);
  cut.cut();
  await first.stop("SIGKILL");
  const rows = () => {
    const db = new DatabaseSync(join(dataDir, "engine.db"), { readOnly: true });
    const count = db.prepare("select count(*) as n from compactions").get()?.["n"];
    db.close();
    return count;
  };
  t.equal(rows(), 0, "nothing is half done");
  hold = false;
  tokens = 2000;
  const second = await startEngine(t, { settings, dataDir });
  const ended = async () => {
    const { body } = await second.call("/execute/replay?after=0&task_id=task&limit=10000");
    return (
      (body.events as Frames).filter(({ event, data }) => event === "thread_lifecycle" && data["phase"] === "completed")
        .length === 3
    );
  };
  await until("the turn is over", ended);
  tokens = 180_000;
  await second.turn("task", "more");
  const after = await second.turn("task", "and more");
  t.match(compactions(after), [{ strategy: "summary", before_tokens: Number }]);
  t.equal(rows(), 1);
  t.match(JSON.stringify(upstream.received.at(-1)?.body.messages), "They talked.");
  await second.stop("SIGKILL");
  const calls = upstream.received.length;
  const third = await startEngine(t, { settings, dataDir });
  tokens = 2000;
  await third.turn("task", "still there?");
  t.match(
    JSON.stringify(upstream.received[calls]?.body.messages),
    "They talked.",
    "the new context holds after a kill",
  );
});
