import t from "tap";
import { htmlText } from "../../../../src/engine/tools/web/html-text.ts";

const base = new URL("https://shop.example/a/b");
const text = (html: string) => htmlText(html, base).text;

t.test("what a person would read is kept, and its order and paragraphs", async (t) => {
  t.equal(
    text("<body><h2>Prices</h2>\n <p>One   pound<br>two</p><ul><li>a<li>b</ul><table><tr><td>x<td>y</table>"),
    "## Prices\n\nOne pound\ntwo\n\n- a\n- b\n\n| x | y",
  );
  t.equal(text("a<!-- hidden -- > still -->b<!doctype html><?xml?>c"), "abc");
  t.equal(
    text("<style>p{}</style>x<SCRIPT>if (a<b) '</scr'</SCRIPT >y<noscript>no</noscript><svg><text>z</text></svg>"),
    "xy",
  );
  t.equal(text("1 < 2 && 3 > 2 </ p> end <"), "1 < 2 && 3 > 2 end <");
  t.equal(
    text("&lt;b&gt; &eacute;&#233;&#xe9; &nbsp;&hellip; &unknown; &#0; &#xD800; &#x110000;"),
    "<b> ééé … &unknown; \ufffd \ufffd \ufffd",
  );
});

t.test("links say where they lead when they lead somewhere", async (t) => {
  t.equal(text('<a href="../c?x=1&amp;y=2">see</a>'), "see (https://shop.example/c?x=1&y=2)");
  t.equal(
    text("<a class=x href=/d>one</a> <a href='#top'>two</a> <a href='javascript:x()'>three</a> <a name=q>four</a>"),
    "one (https://shop.example/d) two three four",
  );
});

t.test("a title is the first one, flat", async (t) => {
  t.equal(htmlText("<title>\n A\n B</title><svg><title>no</title></svg>x", base).title, "A B");
  t.equal(htmlText("x", base).title, null);
});

t.test("a page made to be slow is read in a moment", async (t) => {
  const size = 400_000;
  for (const piece of [
    "<",
    "<!--",
    "<a ",
    "<a href",
    "<script>",
    "</",
    "&",
    "&#",
    '<a href="',
    " \n ",
    "<title>",
    "<p",
    "<svg>",
    " ",
  ]) {
    const html = piece.repeat(size / piece.length);
    const begin = performance.now();
    htmlText(html, base);
    t.ok(performance.now() - begin < 5000, piece);
  }
});
