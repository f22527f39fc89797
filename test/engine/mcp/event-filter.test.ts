import t from "tap";
import { eventFilter } from "../../../src/engine/mcp/event-filter.ts";

const json = (message: object) => JSON.stringify({ jsonrpc: "2.0", ...message });
const PROGRESS = json({ method: "notifications/progress", params: { progress: 1 } });
const ODD = JSON.stringify({ params: { data: "ö" }, method: "notifications/message" });
const RESULT = json({ id: 1, result: { text: 'says "notifications/progress" and ö' } });
const LONG = json({ id: 2, result: { text: `${"x".repeat(9000)} "notifications/progress"` } });

/** The stream, given in pieces of so many bytes, as it comes out, and what was asked of the way. */
async function through(text: string, size: number) {
  const asked: string[] = [];
  const hears = (method: string) => {
    asked.push(method);
    return false;
  };
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  const stream = ReadableStream.from(pieces).pipeThrough(new TransformStream(eventFilter({ hears, maxBytes: 20_000 })));
  const out: Buffer[] = [];
  for await (const chunk of stream) out.push(Buffer.from(chunk));
  return { text: Buffer.concat(out).toString(), asked };
}

t.test(
  "notifications that nobody hears are left out of a stream, however it is cut, and nothing else is",
  async (t) => {
    for (const newline of ["\n", "\r\n", "\r"]) {
      const event = (...lines: string[]) => `${lines.join(newline)}${newline}${newline}`;
      const kept = [event("event: message", "id: 7", `data: ${RESULT}`), event(": ping"), event(`data:${RESULT}`)];
      const [first, second, third] = kept;
      const dropped = [event("event: message", `data: ${PROGRESS}`), event(`data: ${ODD}`)].join("");
      const text = [dropped, first, dropped, second, third, dropped, `data: ${RESULT}`].join("");
      for (const size of [1, 2, 3, 7, 64, 100_000]) {
        const given = await through(text, size);
        t.equal(given.text, `${kept.join("")}data: ${RESULT}`, `${JSON.stringify(newline)} by ${size}`);
        t.equal(given.asked.length, 6);
      }
    }
  },
);

t.test("a long event is passed on as it comes, and one without an end is refused", async (t) => {
  const text = `data: ${LONG}\n\ndata: ${RESULT}\n\n`;
  for (const size of [1000, 4097, 100_000]) t.equal((await through(text, size)).text, text);
  await t.rejects(through("x".repeat(30_000), 1000), /longer than 20000 bytes/);
});
