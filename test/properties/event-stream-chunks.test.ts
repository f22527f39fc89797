import { strict as assert } from "node:assert";
import fc from "fast-check";
import { type SseFrame, readFrames, readLines } from "../../src/client/sse-frames.ts";
import { LineSplitter } from "../../src/orchestrator/fleet/logs/line-splitter.ts";
import { chunked, cuts, property } from "../helpers/property.ts";

const END = fc.constantFrom("\n", "\r\n", "\r");
/** Text of one line, with characters of one to four bytes. */
const line = fc
  .string({ unit: fc.constantFrom("a", ":", " ", '"', "é", "€", "😀", "\u2028", "\0"), maxLength: 12 })
  .map((text) => text.replace(/^ /, "a"));
const frame = fc.record({
  type: fc.option(line.map((text) => text || "x")),
  id: fc.option(line.map((text) => text.replaceAll("\0", "") || "1")),
  lines: fc.array(line, { minLength: 1, maxLength: 3 }),
  comment: fc.option(line),
  end: END,
});
type Frame = typeof frame extends fc.Arbitrary<infer Value> ? Value : never;

const written = ({ type, id, lines, comment, end }: Frame): string =>
  [
    ...(comment === null ? [] : [`: ${comment}`]),
    ...(type === null ? [] : [`event: ${type}`]),
    ...(id === null ? [] : [`id: ${id}`]),
    ...lines.map((text) => `data: ${text}`),
    "",
    "",
  ].join(end);

async function gathered<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
async function* given(chunks: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

property(
  "frames are read as they were written, however the bytes are cut",
  [fc.array(frame, { maxLength: 4 }), cuts],
  async (frames, cuts) => {
    // After a CR, a reader waits for the LF that may follow.
    const bytes = Buffer.from(`${frames.map(written).join("")}:\n`);
    const expected = frames.map(({ type, id, lines }): SseFrame => ({ type, id, data: lines.join("\n") }));
    assert.deepEqual(await gathered(readFrames(given(chunked(bytes, cuts)))), expected);
  },
);

property(
  "lines are read as they were written, however the bytes are cut",
  [fc.array(line, { maxLength: 6 }), line, cuts],
  async (lines, rest, cuts) => {
    const bytes = Buffer.from([...lines, rest].join("\n"));
    const chunks = chunked(bytes, cuts);
    assert.deepEqual(await gathered(readLines(given(chunks))), lines);
    const splitter = new LineSplitter();
    assert.deepEqual(
      chunks.flatMap((chunk) => splitter.push(chunk)),
      lines,
    );
    assert.deepEqual(splitter.rest(), rest === "" ? [] : [rest]);
  },
);
