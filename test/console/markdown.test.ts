import { mock } from "node:test";
import t from "tap";
import { BoundedLexer } from "../../console/src/parts/markdown/bounded-lexer.ts";
import { withCharacters } from "../../console/src/parts/markdown/characters.ts";
import { GrowingText, blocksOf } from "../../console/src/parts/markdown/growing-text.ts";
import { settleEnd } from "../../console/src/parts/markdown/settle-end.ts";
import { webAddress } from "../../console/src/parts/markdown/web-address.ts";

const TEXT = `# Rome

Two ways lead there,
a *slow* and a **fast** one:

- by train
  - over Bologna

  with a stop
- by plane

1. pack
2. go

| way | hours |
| --- | ---: |
| train | 14 |

\`\`\`js
const a = "- no list";

const b = 1;
\`\`\`

> quoted
> text

See [the map][map] & more.

[map]: https://example.com/map
`;

t.test("a text that grows ends as the whole text, and closed blocks stay the same objects", async (t) => {
  for (const size of [1, 3, 7, 50]) {
    const growing = new GrowingText();
    let before: readonly unknown[] = [];
    for (let end = size; end < TEXT.length + size; end += size) {
      growing.grow(TEXT.slice(0, end));
      t.ok(
        before.every((block, at) => block === growing.closed[at]),
        `${end}`,
      );
      before = [...growing.closed];
    }
    const open = growing.grow(TEXT);
    const raws = [...growing.closed, ...open].map(({ type }) => type).filter((type) => type !== "space");
    t.same(
      raws,
      blocksOf(TEXT)
        .map(({ type }) => type)
        .filter((type) => type !== "space"),
      `${size} characters at a time`,
    );
  }
});

t.test("each character is read a few times only, however long the text becomes", async (t) => {
  const paragraph = "Some **bold** words, `code` and a [link](https://example.com).\r\n\r\n";
  const growing = new GrowingText();
  const text = paragraph.repeat(500);
  const lex = mock.method(BoundedLexer.prototype, "lex");
  t.teardown(() => lex.mock.restore());
  for (let end = 40; end < text.length; end += 40) growing.grow(text.slice(0, end));
  t.ok(growing.closed.length > 900, "paragraphs and the space between them are closed");
  const read = lex.mock.calls.reduce((sum, { arguments: [part] }) => sum + part.length, 0);
  t.ok(read < 10 * text.length, `${read} of ${text.length} characters`);
});

t.test("no text takes long or nests without end", async (t) => {
  const size = 100_000;
  const many = (text: string) => text.repeat(size / text.length);
  const hostile = ["_a", "[", "> ", "*", "a**b", "<a ", "- ", "`", "![](", "|"].map(many);
  const nested = Array.from({ length: 300 }, (_, depth) => `${"  ".repeat(depth)}- a`).join("\n");
  for (const text of [...hostile, nested]) {
    const begun = performance.now();
    t.ok(depthOf(blocksOf(text)) < 60, text.slice(0, 8));
    const tookMs = performance.now() - begun;
    t.ok(tookMs < 1500, `${text.slice(0, 8)} took ${Math.round(tookMs)} ms`);
  }
  const long = "_a".repeat(150_000);
  t.same(blocksOf(long), [{ type: "text", raw: long, text: long }], "as it was written");
});

function depthOf(tokens: readonly unknown[]): number {
  let level: readonly unknown[] = tokens;
  let depth = 0;
  while (level.length > 0 && depth < 1000) {
    depth++;
    level = level.flatMap((token) => {
      const { tokens: inner = [], items = [] } = token as { tokens?: unknown[]; items?: unknown[] };
      return [...inner, ...items];
    });
  }
  return depth;
}

t.test("the last line of a text that grows looks as it will", async (t) => {
  for (const [text, shown] of [
    ["Intro:\n-", "Intro:\n"],
    ["Intro:\n- ", "Intro:\n"],
    ["Intro:\n12.", "Intro:\n"],
    ["a **bo", "a **bo**"],
    ["a **", "a "],
    ["a **bold*", "a **bold**"],
    ["a **bold**", "a **bold**"],
    ["run `np", "run `np`"],
    ["- item\n  ```j", "- item\n  ```j"],
    ["see [the map](https://exa", "see the map"],
    ["see [the map](https://example.com)", "see [the map](https://example.com)"],
  ] as const)
    t.equal(settleEnd(text), shown, text);
});

t.test("links lead to the web and to mailboxes only", async (t) => {
  for (const href of ["https://a.example", "HTTP://a.example/b", "mailto:a@example.com"])
    t.equal(webAddress(href), href);
  for (const href of [
    "javascript:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>",
    "vbscript:x",
    "//a.example",
    "/engines",
    "#/engines",
    "file:///etc/passwd",
    "blob:https://a.example/1",
  ])
    t.equal(webAddress(href), null, href);
});

t.test("character references are characters", async (t) => {
  t.equal(
    withCharacters("a &lt;b&gt; &amp;amp; &#39; &#x1F642; &unknown; &#0; &#9999999;"),
    "a <b> &amp; ' 🙂 &unknown; &#0; &#9999999;",
  );
});
