import { buffer } from "node:stream/consumers";
import t from "tap";
import { fillBody } from "../../src/broker/fill-body.ts";

const signsOf = (text: string) => Array.from({ length: text.length }, (_, at) => text.charAt(at));

async function filled(chunks: readonly string[]): Promise<string> {
  const stream = fillBody(async ({ name }) => `<${name}>`);
  for (const chunk of chunks) stream.write(Buffer.from(chunk));
  stream.end();
  return (await buffer(stream)).toString();
}

t.test("a placeholder whose end looks like the beginning of another is found, wherever a chunk ends", async (t) => {
  for (const end of ["o", "or", "orchsec_", "AAAA"]) {
    const placeholder = `orchsec_TOKEN.${"A".repeat(22 - end.length)}${end}`;
    const body = `a${placeholder}${placeholder}b${placeholder}`;
    for (let at = 0; at <= body.length; at++)
      if ((await filled([body.slice(0, at), body.slice(at)])) !== "a<TOKEN><TOKEN>b<TOKEN>")
        t.fail(`${end}: a chunk ends at ${at}`);
    t.equal(await filled(signsOf(body)), "a<TOKEN><TOKEN>b<TOKEN>", end);
  }
});

t.test("what only begins like a placeholder is passed on as it is", async (t) => {
  for (const body of ["orchsec_", "orchsec_TOKEN.AAAA", "o", "orchsec_TOKEN.AAAA orchsec"])
    t.equal(await filled(signsOf(body)), body);
});
