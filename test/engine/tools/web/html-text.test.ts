import t from "tap";
import { htmlText } from "../../../../src/engine/tools/web/html-text.ts";

const base = new URL("https://shop.example/a/b");
const text = async (html: string) => (await htmlText(html, base)).text;

t.test("visible text is kept in order, with its paragraphs", async (t) => {
  t.equal(
    await text("<body><h2>Prices</h2>\n <p>One   pound<br>two</p><ul><li>a<li>b</ul><table><tr><td>x<td>y</table>"),
    "## Prices\n\nOne pound\ntwo\n\n- a\n- b\n\n| x | y",
  );
  t.equal(await text("a<!-- hidden -- > still -->b<!doctype html><?xml?>c"), "abc");
  t.equal(
    await text(
      "<style>p{}</style>x<SCRIPT>if (a<b) '</scr'</SCRIPT >y<noscript>no</noscript><svg><text>z</text></svg>",
    ),
    "xy",
  );
  t.equal(await text("1 < 2 && 3 > 2 </ p> end <"), "1 < 2 && 3 > 2 end <");
  t.equal(
    await text("&lt;b&gt; &eacute;&#233;&#xe9; &nbsp;&hellip; &unknown; &#0; &#xD800; &#x110000;"),
    "<b> ééé … &unknown; \ufffd \ufffd \ufffd",
  );
});

t.test("links are followed by their absolute URL", async (t) => {
  t.equal(await text('<a href="../c?x=1&amp;y=2">see</a>'), "see (https://shop.example/c?x=1&y=2)");
  t.equal(
    await text(
      "<a class=x href=/d>one</a> <a href='#top'>two</a> <a href='javascript:x()'>three</a> <a name=q>four</a>",
    ),
    "one (https://shop.example/d) two three four",
  );
});

t.test("the first title counts, with collapsed whitespace", async (t) => {
  t.equal((await htmlText("<title>\n A\n B</title><svg><title>no</title></svg>x", base)).title, "A B");
  t.equal((await htmlText("x", base)).title, null);
});

t.test("adversarial pages are parsed in linear time", async (t) => {
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
    const before = process.cpuUsage();
    await htmlText(html, base);
    const { user } = process.cpuUsage(before);
    t.ok(user < 5_000_000, piece);
  }
});

t.test("parsing a long page yields to the event loop", async (t) => {
  let turns = 0;
  const alive = setInterval(() => turns++, 1);
  t.teardown(() => clearInterval(alive));
  const { text } = await htmlText('<p>Some text <a href="/x">link</a></p>\n'.repeat(50_000), base);
  t.ok(turns > 5);
  t.equal(text.match(/link \(https:\/\/shop\.example\/x\)/g)?.length, 50_000);
});
