import t from "tap";
import { ENGINE_EVENTS } from "../../../src/contract/engine/events.ts";
import { mergeDeltas } from "../../../src/engine/http/merge-deltas.ts";
import { EventSequence, type JournalEvent } from "../../../src/engine/turns/event-sequence.ts";

const rowsOf = (events: readonly JournalEvent[]) => {
  const sequence = new EventSequence({ seq: 0, ts: 0 }, () => Date.UTC(2026, 0, 1));
  return events.map((event) => sequence.stamp('task "1"', "turn_1", event));
};
const texts = (...all: string[]) => rowsOf(all.map((text) => ({ event: "text_delta", data: { text } })));
const read = (rows: ReturnType<typeof rowsOf>) =>
  mergeDeltas(rows).map(({ type, data, body }) => ({ type, data: JSON.parse(data), body: JSON.parse(body) }));

t.test("adjacent texts become one with the stamp of the last, whatever they contain", async (t) => {
  const odd = [
    "",
    '"',
    '","',
    "\\",
    '\\"',
    "\n\t\u0000",
    "\u2028\u0085",
    "\ud83d",
    "\ude00",
    '{"text":"',
    "ä 你",
    '"}',
  ];
  const rows = texts(...odd);
  const [merged, ...more] = read(rows);
  t.same(more, []);
  const { text, ...stamp } = JSON.parse(rows.at(-1)?.data ?? "");
  t.strictSame(merged?.data, { text: odd.join(""), ...stamp });
  t.strictSame(merged?.body, { text: odd.join("") });
  t.equal(text, '"}');
  t.equal(stamp.seq, odd.length);
});

t.test("no text passes what is between, nor a delta of another kind", async (t) => {
  const between: JournalEvent = { event: "content_block_stop", data: { block_index: 0, block_type: "text" } };
  const thought: JournalEvent = { event: "thinking_delta", data: { text: "t" } };
  const word = (text: string): JournalEvent => ({ event: "text_delta", data: { text } });
  const found = read(rowsOf([word("a"), word("b"), between, word("c"), thought, thought, word("d")]));
  t.strictSame(
    found.map(({ type, data }) => [type, data.text]),
    [
      ["text_delta", "ab"],
      ["content_block_stop", undefined],
      ["text_delta", "c"],
      ["thinking_delta", "tt"],
      ["text_delta", "d"],
    ],
  );
});

t.test("pieces of a call's arguments keep its name", async (t) => {
  const piece = (json: string): JournalEvent => ({
    event: "tool_input_delta",
    data: { tool: "read_file", tool_call_id: "c1", json },
  });
  const [merged] = read(rowsOf([piece('{"path":'), piece(' "a"}')]));
  t.match(merged?.data, { tool: "read_file", tool_call_id: "c1", json: '{"path": "a"}', seq: 2, task_id: 'task "1"' });
});

t.test("a delta of text has no other field, or texts could not be put together as JSON", async (t) => {
  for (const { data } of [ENGINE_EVENTS.text_delta, ENGINE_EVENTS.thinking_delta])
    t.strictSame(Object.keys(data), ["text"]);
});
