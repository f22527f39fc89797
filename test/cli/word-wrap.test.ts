import t from "tap";
import { WordWrap } from "../../cli/word-wrap.ts";

/** What a text looks like at a width, given in pieces of so many characters. */
function wrapped(text: string, columns: number, size = text.length): string {
  const wrap = new WordWrap(() => columns);
  let out = "";
  for (let at = 0; at < text.length; at += size) out += wrap.push(text.slice(at, at + size));
  return out + wrap.flush();
}

t.test("lines break between words, wherever the pieces of the text are cut", async (t) => {
  for (const size of [1, 2, 3, 5, 100]) {
    t.equal(wrapped("one two three four five", 9, size), "one two\nthree\nfour five", `pieces of ${size}`);
    t.equal(wrapped("a\n\n  indented line\nb", 40, size), "a\n\n  indented line\nb", `pieces of ${size}`);
  }
});

t.test("a word that is longer than a line is left to the terminal, and is not held back", async (t) => {
  t.equal(wrapped("see https://example.com/long ok", 10), "see\nhttps://example.com/long\nok");
  t.equal(new WordWrap(() => 10).push("x".repeat(11)).length, 11);
});

t.test("wide characters are two columns each, and are shown as they come", async (t) => {
  t.equal(wrapped("用户用户用户", 5), "用户\n用户\n用户");
  t.equal(new WordWrap(() => 80).push("用户"), "用户");
});

t.test("fenced code is not wrapped, the text after it is", async (t) => {
  const code = "```sh\nls -l --all --human-readable\n```\n";
  t.equal(wrapped(`${code}one two three`, 9, 4), `${code}one two\nthree`);
});
