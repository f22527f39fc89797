import t from "tap";
import { clearThrough, contextLimits, cutThrough } from "../../../src/engine/agent/compaction-plan.ts";
import { shownConversation } from "../../../src/engine/agent/compaction-record.ts";
import { type MessageRow, modelMessages } from "../../../src/engine/agent/conversation.ts";
import { storedTokens } from "../../../src/engine/agent/stored-tokens.ts";
import { valueTokens } from "../../../src/engine/model/context-window.ts";
import type { AssistantContent, ModelMessage } from "../../../src/engine/model/model-provider.ts";
import { filler } from "./compacting.ts";

t.test("the context is compacted at the window minus output reserve minus margin", async (t) => {
  t.strictSame(contextLimits(200_000, 16_000), { compactAt: 171_000, most: 184_000 });
  t.strictSame(contextLimits(200_000, 64_000), { compactAt: 167_000, most: 180_000 });
  t.strictSame(contextLimits(1_000_000, 16_000), { compactAt: 971_000, most: 984_000 });
  t.strictSame(contextLimits(8000, 2000), { compactAt: 4000, most: 6000 }, "in small windows at half of them");
  const wrong: unknown[] = [];
  for (let window = 4000; window < 3_000_000; window = Math.ceil(window * 1.3)) {
    for (const output of [500, 8000, 16_000, 64_000]) {
      const { compactAt, most } = contextLimits(window, output);
      if (!(compactAt > 0 && compactAt <= most && most < window)) wrong.push({ window, output, compactAt, most });
    }
  }
  t.same(wrong, []);
});

/** Numbers that look random and are the same each time. */
function randomness(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = Math.imul(state ^ (state >>> 15), 2_246_822_519) >>> 0;
    state = (state + 0x9e3779b9) >>> 0;
    return state % below;
  };
}

/** What real turns leave behind: thoughts, parallel calls, large results, answers cut off, messages without an answer. */
function randomConversation(seed: number): readonly MessageRow[] {
  const below = randomness(seed);
  const messages: MessageRow[] = [];
  let id = 0;
  const turns = 1 + below(12);
  for (let turn = 0; turn < turns; turn++) {
    const add = (role: MessageRow["role"], content: unknown) =>
      messages.push({ id: (id += 1 + below(3)), turnId: `turn_${turn}`, role, content });
    add("user", filler(1 + below(200)));
    const steps = below(6);
    for (let step = 0; step < steps; step++) {
      const calls = Array.from({ length: 1 + below(4) }, (_, index) => `call_${turn}_${step}_${index}`);
      const content: AssistantContent[] = [];
      if (below(2) === 0)
        content.push({ kind: "thinking", text: filler(20), signature: { signed: `${turn} ${step}` } });
      if (below(2) === 0) content.push({ kind: "text", text: filler(10) });
      for (const call of calls) content.push({ kind: "tool_use", id: call, tool: "look", input: { n: below(9) } });
      add("assistant", content);
      // The engine may have died before the results were stored.
      if (below(15) === 0) break;
      const output = () => (below(3) === 0 ? { text: filler(below(900)), n: below(1e6) } : filler(below(900)));
      add(
        "tool",
        calls.map((call) => ({ id: call, tool: "look", output: output(), isError: below(8) === 0 })),
      );
    }
    if (below(5) > 0 && turn < turns - 1) add("assistant", [{ kind: "text", text: filler(below(100) + 1) }]);
  }
  return messages;
}

/** As the strictest provider wants it: a call's results behind it, all of them, in order, and none without a call. */
function pairingFault(messages: readonly ModelMessage[]): string | null {
  if (messages[0]?.role !== "user") return "it does not begin with the user";
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const asked =
      before?.role === "assistant" ? before.content.flatMap((part) => (part.kind === "tool_use" ? part.id : [])) : [];
    const given = message.role === "tool" ? message.results.map(({ id }) => id) : [];
    if (asked.join() !== given.join()) return `message ${index}: calls ${asked.join()}, results ${given.join()}`;
  }
  const last = messages.at(-1);
  return last?.role === "assistant" && last.content.some(({ kind }) => kind === "tool_use") ? "calls are open" : null;
}

t.test("every compacted conversation is valid for every provider", async (t) => {
  let cuts = 0;
  let clears = 0;
  for (let seed = 1; seed <= 50; seed++) {
    const stored = randomConversation(seed);
    const room = 200 + randomness(seed + 9999)(8000);
    const whole = modelMessages(stored);
    const wholeTokens = valueTokens(whole);
    const clearedThrough = clearThrough(stored, room);
    const cut = cutThrough(stored, room);
    for (const [summarisedThrough, cleared] of [
      [0, clearedThrough],
      [cut ?? 0, 0],
      [cut ?? 0, clearedThrough],
      [cut ?? 0, Infinity],
    ] as const) {
      const record = { clearedThrough: cleared, summarisedThrough, summary: "[S]" };
      const shown = modelMessages(shownConversation(stored, record));
      const what = `seed ${seed}, room ${room}, through ${summarisedThrough} and ${cleared}`;
      const fault = pairingFault(shown);
      if (fault !== null) t.fail(`${what}: ${fault}`);
      if (valueTokens(shown) > wholeTokens + 10) t.fail(`${what}: larger than before`);
      const [asked] = whole.filter(({ role }) => role === "user").slice(-1);
      const [askedNow] = shown.filter(({ role }) => role === "user").slice(-1);
      if (JSON.stringify(asked) !== JSON.stringify(askedNow)) t.fail(`${what}: it no longer says what was asked last`);
      const thoughts = (messages: readonly ModelMessage[]) =>
        messages.flatMap((message) => (message.role === "assistant" ? [JSON.stringify(message.content)] : []));
      if (!thoughts(whole).join().endsWith(thoughts(shown).join())) t.fail(`${what}: an answer was changed`);
      if (JSON.stringify(modelMessages(shownConversation(stored, record))) !== JSON.stringify(shown))
        t.fail(`${what}: other bytes`);
    }
    if (cut !== null) {
      cuts++;
      const kept = stored.filter(({ id }) => id > cut);
      if (kept.length === 0) t.fail(`seed ${seed}: nothing was kept`);
      if (kept[0]?.role === "tool") t.fail(`seed ${seed}: a call was split from its results`);
    }
    if (clearedThrough > 0) {
      clears++;
      const last = stored.findLast(({ role }) => role === "tool");
      if (last !== undefined && last.id <= clearedThrough) t.fail(`seed ${seed}: what is to be read next was cleared`);
    }
  }
  t.ok(cuts > 25 && clears > 12, `${cuts} cuts, ${clears} cleared`);
});

t.test("with less room, fewer messages are kept, down to the last step", async (t) => {
  const stored = randomConversation(7);
  let before = 0;
  for (const room of [1e9, 20_000, 8000, 3000, 1000, 0]) {
    const cut = cutThrough(stored, room) ?? 0;
    t.ok(cut >= before, `${room}: ${cut}`);
    before = cut;
  }
  t.equal(cutThrough(stored, 1e9), null, "with room for all nothing is left out");
  t.equal(cutThrough([], 0), null);
  t.equal(cutThrough(stored.slice(0, 1), 0), null, "a single message stays");
});

t.test("old attachments are cleared to a line of text before anything is summarised, the newest stay", async (t) => {
  const file = {
    kind: "image",
    name: "a.png",
    media_type: "image/png",
    bytes: 5000,
    digest: "0".repeat(64),
    path: ".orch/attachments/a.png",
    width: 2000,
    height: 2000,
  } as const;
  const stored: readonly MessageRow[] = Array.from({ length: 8 }, (_, index) => ({
    id: index + 1,
    turnId: `turn_${index}`,
    role: "user",
    content: [
      { kind: "text", text: `look at ${index}` },
      { kind: "attachment", file },
    ],
  }));
  t.ok(storedTokens(stored.slice(0, 1)) > 1600, "an image counts as what a model takes for it");
  t.equal(clearThrough(stored, 1_000_000), 3, "the newest five stay");
  t.equal(clearThrough(stored, 8000), 7, "fewer in a small window");
  const shown = shownConversation(stored, { clearedThrough: 3, summarisedThrough: 0, summary: "" });
  t.same(
    shown.map(({ content }) => typeof content === "string"),
    [true, true, true, false, false, false, false, false],
  );
  t.match(shown[0]?.content, /^look at 0\n\n\[attached image a\.png, image\/png, 2000 x 2000 pixels, 5 kB, at \.orch/);
  const results = [{ id: "c", tool: "draw", output: "drawn", isError: false, attachments: [file] }];
  const tool: MessageRow = { id: 1, turnId: "turn_1", role: "tool", content: results };
  const [cleared] = shownConversation([tool], { clearedThrough: 1, summarisedThrough: 0, summary: "" });
  t.same(cleared?.content, [{ id: "c", tool: "draw", output: "drawn", isError: false }]);
});
