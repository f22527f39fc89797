import t from "tap";
import { requestTokens } from "../../../src/engine/model/context-window.ts";
import type { ModelPart, ModelRequest } from "../../../src/engine/model/model-provider.ts";
import { SUMMARY_OPENING } from "../../../src/engine/model/summary-message.ts";
import { type Parts, testTool } from "../../helpers/engine-parts.ts";
import { until } from "../../helpers/until.ts";
import { compactingParts, countingProvider, filler, text, toolCall } from "./compacting.ts";

type Event = Awaited<ReturnType<Parts["turn"]>>[number];
const failing = (failure: Extract<ModelPart, { kind: "failed" }>["failure"]) =>
  ({ kind: "failed", failure, usage: null }) as const;
const DOWN = failing({ kind: "transient", message: "m is down", status: 503, retryAfterS: null });
const TOO_LONG = failing({ kind: "too_long", message: "it does not fit" });
const compactions = (events: readonly Event[]) =>
  events.filter(({ event }) => event === "compaction_event").map(({ data }) => data);
const endOf = (events: readonly Event[]) => events.at(-1)?.data;
const firstOf = ({ messages }: ModelRequest) => (messages[0]?.role === "user" ? messages[0].text : "");

/** Talks until the conversation has about so many tokens. */
async function talk(parts: Parts, tokens: number, taskId = "task"): Promise<readonly Event[]> {
  const events: Event[] = [];
  for (let said = 0; said < tokens; said += 450) events.push(...(await parts.turn(taskId, `${filler(300)}.`)));
  return events;
}

t.test("old tool results are cleared first, then the light model summarises", async (t) => {
  const provider = countingProvider({
    answer: (request, nth) =>
      request.messages.at(-1)?.role === "user" ? toolCall(`call_${nth}`, "look") : text(filler(nth > 24 ? 300 : 10)),
    summary: () => "They looked at many things.",
  });
  const look = testTool("look", async () => `${filler(500)}. The id is AB-12345. ${filler(200)}.`);
  const parts = compactingParts(t, { provider, tools: [look] });
  const events: Event[] = [];
  for (let turn = 0; turn < 40; turn++) events.push(...(await parts.turn("task", "look again")));
  const told = compactions(events);
  t.equal(told[0]?.["strategy"], "structured_extraction");
  t.equal(provider.summaries[0]?.model, "light");
  t.match(told, [{ before_tokens: Number, after_tokens: Number }]);
  const small = told.filter((one) => Number(one["after_tokens"]) >= Number(one["before_tokens"]) * 0.9);
  t.same(small, [], "every compaction frees a tenth");
  const summary = told.find(({ strategy }) => strategy === "summary");
  t.match(summary?.["summarised_turn_ids"], [/^turn_/]);
  const last = provider.requests.at(-1);
  t.ok(last && firstOf(last).startsWith(SUMMARY_OPENING), "the conversation begins with the summary");
  t.match(JSON.stringify(last?.messages), /They looked at many things/);
  t.match(JSON.stringify(last?.messages), "Cleared to make room");
  t.match(JSON.stringify(last?.messages), "AB-12345");
  t.ok(Math.max(...provider.requests.map(requestTokens)) < 15_000, "no request is too large");
});

t.test("the prompt prefix is byte-identical between two compactions", async (t) => {
  const provider = countingProvider();
  const parts = compactingParts(t, { provider });
  await talk(parts, 30_000);
  let moved = 0;
  for (const [index, request] of provider.requests.entries()) {
    const before = provider.requests[index - 1];
    if (before === undefined) continue;
    const [was, is] = [before, request].map(({ messages }) => JSON.stringify(messages).slice(0, -1));
    if (!is?.startsWith(was ?? "")) moved++;
  }
  t.ok(moved > 0 && moved < 8, `${moved} times in ${provider.requests.length} calls`);
});

t.test("a turn's usage includes its summaries", async (t) => {
  const provider = countingProvider();
  const parts = compactingParts(t, { provider });
  let events: readonly Event[] = [];
  while (compactions(events).length === 0) events = await parts.turn("task", `${filler(600)}.`);
  const usage = events.filter(({ event }) => event === "usage").map(({ data }) => Number(data["input_tokens"]));
  t.equal(usage.length, 2, "one for the summary, one for the answer");
  const asked = [provider.summaries.at(-1), provider.requests.at(-1)].map((request) =>
    request ? requestTokens(request) : 0,
  );
  t.strictSame(usage, [asked[0], (asked[0] ?? 0) + (asked[1] ?? 0)]);
  const names = events.map(({ event }) => event);
  t.ok(names.indexOf("compaction_event") < names.indexOf("text_delta"), "before the answer");
});

t.test("the provider's token count takes precedence over the estimate", async (t) => {
  const provider = countingProvider();
  const counted = {
    ...provider,
    async *stream(request: ModelRequest, signal: AbortSignal) {
      for await (const part of provider.stream(request, signal))
        yield part.kind === "done"
          ? { ...part, usage: { ...part.usage, inputTokens: part.usage.inputTokens * 4 } }
          : part;
    },
  };
  const parts = compactingParts(t, { provider: counted });
  const told = compactions(await talk(parts, 6000));
  t.ok(told.length > 0, "a quarter of the estimate is enough");
  t.ok(Number(told[0]?.["before_tokens"]) > 8000);
});

t.test("plan, notes and questions in a summary come from the store each time", async (t) => {
  let plan = ["1. buy rope"];
  const provider = countingProvider();
  const parts = compactingParts(t, {
    provider,
    compactor: {
      state: () => [
        { title: "Plan", lines: plan },
        { title: "Empty", lines: [] },
      ],
    },
  });
  await talk(parts, 14_000);
  t.match(firstOf(provider.requests.at(-1) as ModelRequest), "## Plan\n- 1. buy rope");
  plan = ["1. buy rope (done)", "2. climb"];
  await talk(parts, 14_000);
  const text = firstOf(provider.requests.at(-1) as ModelRequest);
  t.match(text, "## Plan\n- 1. buy rope (done)\n- 2. climb");
  t.notMatch(text, "Empty");
});

t.test("a failing summary does not fail a turn that fits, and retries are limited", async (t) => {
  let down = true;
  const provider = countingProvider({ summary: () => (down ? DOWN : "Up again.") });
  const parts = compactingParts(t, { provider, compactor: { windowOf: () => 32_000 } });
  const events = await talk(parts, 23_000);
  t.strictSame(compactions(events), []);
  t.notOk(events.some(({ event }) => event === "error"));
  const models = provider.summaries.map(({ model }) => model);
  t.strictSame([...new Set(models)], ["light", "scripted"], "the main model is asked when the light one fails");
  t.ok(models.length >= 2 && models.length <= 6, `${models.length}: each three times at the most`);
  t.ok(
    provider.summaries.every(({ priority }) => priority === "background"),
    "while the turn can do without, others go first",
  );
  let failed: readonly Event[] = [];
  for (let turn = 0; turn < 40 && endOf(failed)?.["error"] === undefined; turn++)
    failed = await parts.turn("task", `${filler(600)}.`);
  t.match(endOf(failed), {
    error: "COMPACTION_FAILED",
    message: /m is down/,
    details: { tokens: Number, limit: 31_000 },
  });
  t.equal(provider.summaries.at(-1)?.priority, "interactive", "now the turn waits for it");
  down = false;
  const mended = await parts.turn("task", "and now?");
  t.match(endOf(mended), { phase: "completed" });
  t.match(compactions(mended), [{ strategy: "summary" }]);
});

t.test("COMPACTION_FAILED reports token counts, and the next message can succeed", async (t) => {
  const provider = countingProvider();
  const parts = compactingParts(t, { provider });
  t.match(endOf(await parts.turn("task", filler(12_000))), {
    error: "COMPACTION_FAILED",
    details: { limit: 15_000 },
  });
  t.equal(provider.requests.length, 0, "it is not sent");
  t.match(endOf(await parts.turn("other", "hello")), { phase: "completed" });
  t.match(endOf(await parts.turn("task", "sorry, too much")), { phase: "completed" });
});

t.test("a compaction without gain is not retried before the context has grown", async (t) => {
  const provider = countingProvider({ summary: () => filler(6000) });
  const parts = compactingParts(t, { provider, compactor: { windowOf: () => 64_000 } });
  const large = `${filler(15_000)}.`;
  await parts.turn("task", "one");
  await parts.turn("task", large);
  const before = provider.summaries.length;
  const events: Event[] = [];
  for (let turn = 0; turn < 10; turn++) events.push(...(await parts.turn("task", "go on")));
  t.ok(provider.summaries.length - before <= 2, String(provider.summaries.length - before));
  t.notOk(events.some(({ event }) => event === "error"));
});

t.test("a tool result too large for the context is shown as a digest", async (t) => {
  const provider = countingProvider({
    answer: (request, nth) =>
      request.messages.at(-1)?.role === "user" ? toolCall(`call_${nth}`, "look") : text("seen"),
  });
  const look = testTool("look", async () => `${filler(9000)}. It is number 4711-X. ${filler(100)}.`);
  const parts = compactingParts(t, { provider, tools: [look], compactor: { windowOf: () => 10_000 } });
  const events = await parts.turn("task", "look");
  t.match(endOf(events), { phase: "completed" });
  t.match(compactions(events), [{ strategy: "structured_extraction" }]);
  t.match(JSON.stringify(provider.requests.at(-1)?.messages), "4711-X");
});

t.test("a transcript larger than the light model's window is summarised in chunks", async (t) => {
  let refused = 0;
  const provider = countingProvider({
    summary: (request) =>
      requestTokens(request) > 3000 ? (refused++, TOO_LONG) : `Part ${provider.summaries.length}.`,
  });
  const parts = compactingParts(t, { provider });
  const events = await talk(parts, 14_000);
  t.match(compactions(events), [{ strategy: "summary" }]);
  t.ok(refused > 0);
  t.ok(
    provider.summaries.some((request) =>
      JSON.stringify(request.messages).includes("Summary of what came before:\\nPart"),
    ),
  );
});

t.test("a request rejected as too long is compacted and retried once", async (t) => {
  let most = Number.POSITIVE_INFINITY;
  const provider = countingProvider({
    answer: (request) => (requestTokens(request) > most ? [TOO_LONG] : text("fits")),
  });
  const parts = compactingParts(t, { provider, compactor: { windowOf: () => 1_000_000 } });
  await talk(parts, 5000);
  most = 3000;
  const before = provider.requests.length;
  const events = await parts.turn("task", "and?");
  t.match(endOf(events), { phase: "completed" });
  t.match(compactions(events), [{ strategy: "summary" }]);
  t.strictSame(
    provider.requests.slice(before).map(({ shortened }) => shortened),
    [undefined, true],
  );
  most = 1;
  const hopeless = await parts.turn("task", "and now?");
  t.match(endOf(hopeless), { error: "LLM_PROVIDER_ERROR", details: { reason: "context_too_long" } });
  t.equal(provider.requests.length - before, 4, "once more and no oftener");
});

t.test("a context window reported by the provider applies from then on", async (t) => {
  const provider = countingProvider({
    answer: (request) =>
      requestTokens(request) > 8000 ? [failing({ kind: "too_long", message: "m", window: 8192 })] : text("fits"),
  });
  const parts = compactingParts(t, { provider, compactor: { windowOf: () => 1_000_000 } });
  const events = await talk(parts, 30_000);
  t.notOk(events.some(({ event }) => event === "error"));
  t.equal(provider.requests.filter(({ shortened }) => shortened).length, 1, "it runs into it once");
  t.ok(compactions(events).length > 3);
});

t.test("with reactive compaction off, a request rejected as too long fails the turn", async (t) => {
  const provider = countingProvider({ answer: (_request, nth) => (nth > 5 ? [TOO_LONG] : text(filler(100))) });
  const parts = compactingParts(t, { provider, compactor: { reactive: false, windowOf: () => 1_000_000 } });
  await talk(parts, 5 * 450);
  const events = await parts.turn("task", "and?");
  t.match(endOf(events), { error: "LLM_PROVIDER_ERROR", details: { reason: "context_too_long" } });
  t.strictSame(compactions(events), []);
});

t.test("a compaction that cannot be stored leaves the context unchanged", async (t) => {
  const provider = countingProvider();
  const parts = compactingParts(t, { provider });
  await talk(parts, 7000);
  parts.store.db.exec("create trigger no_room before insert on compactions begin select raise(abort, 'no room'); end");
  const events: Event[] = [];
  for (let turn = 0; turn < 4; turn++) events.push(...(await parts.turn("task", `${filler(900)}.`)));
  t.ok(events.some(({ data }) => data["error"] === "INTERNAL_ERROR"));
  parts.store.db.exec("drop trigger no_room");
  const after = await parts.turn("task", `${filler(900)}.`);
  t.match(endOf(after), { phase: "completed" });
  t.match(compactions(after), [{ strategy: "summary" }]);
});

t.test("an abort ends a hanging summary", async (t) => {
  const provider = countingProvider();
  let asked = false;
  const waiting = {
    ...provider,
    async *stream(request: ModelRequest, signal: AbortSignal) {
      if (request.purpose === "summary") {
        asked = true;
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        yield failing({ kind: "aborted" });
      } else {
        yield* provider.stream(request, signal);
      }
    },
  };
  const parts = compactingParts(t, { provider: waiting });
  await talk(parts, 7000);
  const turn = parts.turn("task", filler(1500));
  await until("the summary is asked for", () => asked);
  parts.runner.cancel("task");
  t.match(endOf(await turn), { error: "CANCELLED" });
});
