import t from "tap";
import { MAX_LINE_LENGTH, type SseFrame, readFrames } from "../../src/client/sse-frames.ts";

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const bytesOf = (text: string) => new TextEncoder().encode(text);
const read = (text: string, size: number) => gather(inPieces(bytesOf(text), size));

async function gather(chunks: AsyncIterable<Uint8Array>): Promise<SseFrame[]> {
  const frames: SseFrame[] = [];
  for await (const frame of readFrames(chunks)) frames.push(frame);
  return frames;
}

t.test("frames are read as the standard says, however the bytes are cut", async (t) => {
  const stream = [
    "event: a\ndata: 1\n\n",
    ": a comment\n\n",
    'id: 7\r\nevent: b\r\ndata: {"text":"ö\u2028€😀"}\r\n\r\n',
    "event:c\rdata:one\rdata: two\rdata\r\r",
    "retry: 5\nnonsense\nevent: nothing\n\n",
    "data:  blank\n\n",
    "event: cut\ndata: off\n",
  ].join("");
  const expected = [
    { type: "a", id: null, data: "1" },
    { type: "b", id: "7", data: '{"text":"ö\u2028€😀"}' },
    { type: "c", id: null, data: "one\ntwo\n" },
    { type: null, id: null, data: " blank" },
  ];
  for (let size = 1; size <= 40; size++) t.same(await read(stream, size), expected, `in pieces of ${size} bytes`);
});

t.test("a hundred megabytes without the end of a line are refused long before they have been kept", async (t) => {
  let given = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    const piece = new Uint8Array(1024 * 1024).fill(97);
    for (; given < 100; given++) yield piece;
  }
  await t.rejects(gather(endless()), { code: "BAD_ANSWER" });
  t.ok(given <= MAX_LINE_LENGTH / 1024 / 1024 + 1, `${given} MiB were read`);
});

t.test("a frame of endless lines is refused as well", async (t) => {
  async function* endless(): AsyncGenerator<Uint8Array> {
    const lines = bytesOf(`data: ${"x".repeat(1024)}\n`.repeat(1024));
    for (let given = 0; given < 100; given++) yield lines;
  }
  await t.rejects(gather(endless()), { code: "BAD_ANSWER" });
});
