import { buffer } from "node:stream/consumers";
import t from "tap";
import { type Replacement, replaceInStream, replaceInText } from "../../src/broker/replace-stream.ts";

const RUNS = 3000;

const replacement = (found: string, by: string): Replacement => ({ found: Buffer.from(found), by: Buffer.from(by) });

/** What is looked for first, and of two that begin together the longer one. */
function expected(text: string, replacements: readonly Replacement[]): string {
  let out = "";
  for (let at = 0; at < text.length;) {
    const here = replacements
      .filter(({ found }) => text.startsWith(found.toString(), at))
      .toSorted((left, right) => right.found.length - left.found.length)[0];
    out += here === undefined ? text.charAt(at) : here.by.toString();
    at += here?.found.length ?? 1;
  }
  return out;
}

async function streamed(chunks: readonly string[], replacements: readonly Replacement[]): Promise<string> {
  const stream = replaceInStream(replacements);
  for (const chunk of chunks) stream.write(Buffer.from(chunk));
  stream.end();
  return (await buffer(stream)).toString();
}

t.test("an end of a value does not remain where a shorter one is its beginning or a part of it", async (t) => {
  const replacements = [
    replacement("password1", "<1>"),
    replacement("password123", "<2>"),
    replacement("word12", "<3>"),
  ];
  t.equal(await streamed(["a password1", "23 b"], replacements), "a <2> b");
  t.equal(await streamed(["a password1", "2 b"], replacements), "a <1>2 b");
  t.equal(await streamed(["a password12"], replacements), "a <1>2");
  t.equal(await streamed(["a pass", "word12", "3"], replacements), "a <2>");
  t.equal(replaceInText("password123", replacements), "<2>");
});

t.test("whatever the borders of chunks, the result is that of the whole text", async (t) => {
  const random = (below: number) => Math.floor(Math.random() * below);
  const word = (length: number) => Array.from({ length }, () => "ab"[random(2)]).join("");
  for (let run = 0; run < RUNS; run++) {
    const replacements = Array.from({ length: 1 + random(4) }, (_, at) => replacement(word(1 + random(5)), `<${at}>`));
    const chunks = Array.from({ length: 1 + random(6) }, () => word(random(8)));
    const found = await streamed(chunks, replacements);
    const wanted = expected(chunks.join(""), replacements);
    if (found !== wanted) {
      t.equal(found, wanted, JSON.stringify([replacements.map(String), chunks]));
      return;
    }
  }
  t.pass(`${RUNS} texts`);
});

t.test("a host that sends a value many times costs what its bytes cost, not their square", async (t) => {
  const replacements = [replacement("value-of-8", "x"), replacement("another-value", "y"), replacement("third", "z")];
  const cpuOf = async (times: number) => {
    const chunk = "value-of-8".repeat(times);
    const before = process.cpuUsage();
    t.equal((await streamed([chunk], replacements)).length, times);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  await cpuOf(20_000);
  const [small, large] = [await cpuOf(20_000), await cpuOf(320_000)];
  t.ok(large < 80 * small, `16 times the bytes took ${(large / small).toFixed(1)} times as long`);
});
