import t from "tap";
import { readDocument } from "../../../src/engine/knowledge-reading/read-document.ts";

const read = (text: string, type: "text/markdown" | "text/plain" | "text/html") =>
  readDocument(new Uint8Array(Buffer.from(text)), { type, path: "help/a.md" });

t.test("a passage has its headings and lines, and no passage goes beyond a heading", async (t) => {
  const text = "---\ntitle: Help\n---\n# One\n\nFirst.\n\n## Two\n\n```\n# no heading\n```\n\nUnderlined\n---\nLast.\n";
  t.same(await read(text, "text/markdown"), {
    title: "Help",
    passages: [
      { number: 1, heading: ["One"], lines: [6, 6], pages: null, text: "First." },
      { number: 2, heading: ["One", "Two"], lines: [10, 12], pages: null, text: "```\n# no heading\n```" },
      { number: 3, heading: ["One", "Underlined"], lines: [16, 16], pages: null, text: "Last." },
    ],
  });
});

t.test("a line of a million characters is read at once, whatever it is made of", async (t) => {
  const began = performance.now();
  const long = 1_000_000;
  for (const line of [
    `# a${" ".repeat(long)}x`,
    `# ${"[".repeat(long)}`,
    `# ${"[a](".repeat(long / 4)}`,
    `# a${" #".repeat(long / 2)}x`,
    `---\ntitle: a${" ".repeat(long)}x\n---`,
  ])
    t.match(await read(`${line}\n\nText.`, "text/markdown"), { passages: [{ text: "Text." }] });
  t.ok(performance.now() - began < 20_000);
});

t.test("a line without spaces is cut too, and never within a character", async (t) => {
  for (const text of ["漢字".repeat(10_000), "😀".repeat(9999), `a${"😀".repeat(9999)}`, "x".repeat(48_000)]) {
    const { passages } = await read(text, "text/plain");
    t.equal(passages.map((one) => one.text).join(""), text);
    t.ok(passages.every((one) => one.text.length <= 2000 && one.text.isWellFormed()));
  }
});

t.test("the signs that close a heading are no part of it", async (t) => {
  const { passages } = await read("# A ##\n\na\n\n## C#\n\nb\n\n## D # #  \n\nc", "text/markdown");
  t.same(
    passages.map(({ heading }) => heading.at(-1)),
    ["A", "C#", "D #"],
  );
});

t.test("a long table is cut at its lines, a long line at its words", async (t) => {
  const rows = Array.from({ length: 200 }, (_, at) => `| row ${at} | some words of it |`);
  const { passages } = await read(`# T\n\n${rows.join("\n")}`, "text/markdown");
  t.ok(passages.length > 3);
  t.equal(passages.map(({ text }) => text).join("\n"), rows.join("\n"));
  t.same(passages[0]?.lines?.[0], 3);
  t.same(passages.at(-1)?.lines?.[1], 202);
  const long = await read("word ".repeat(2000), "text/plain");
  t.ok(long.passages.every(({ text }) => text.split(" ").length <= 330));
});

t.test("a page names its character set and its title", async (t) => {
  const page = Buffer.from('<meta charset="latin1"><title>Caf\u00e9</title><h1>A</h1><p>cr\u00e8me', "latin1");
  const found = await readDocument(new Uint8Array(page), { type: "text/html", path: "a.html" });
  t.match(found, { title: "Café", passages: [{ heading: ["A"], text: "crème", lines: null }] });
  await t.rejects(read("\0", "text/plain"), /binary/);
});
