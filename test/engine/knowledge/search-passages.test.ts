import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { KnowledgeIndex } from "../../../src/engine/knowledge-reading/build-index.ts";
import { readDocument } from "../../../src/engine/knowledge-reading/read-document.ts";
import { KnowledgeSearch } from "../../../src/engine/knowledge/search-passages.ts";

const folder = mkdtempSync(join(tmpdir(), "orchd-knowledge-search-"));
t.teardown(() => rmSync(folder, { recursive: true }));

async function searching(name: string, documents: Readonly<Record<string, string>>): Promise<KnowledgeSearch> {
  const file = join(folder, `${name}.sqlite`);
  {
    using index = new KnowledgeIndex(file, { isNew: true });
    for (const [path, text] of Object.entries(documents))
      index.add({
        path,
        ...(await readDocument(new Uint8Array(Buffer.from(text)), { type: "text/markdown", path })),
      });
    index.finish();
  }
  return new KnowledgeSearch(file);
}

const sources = (search: KnowledgeSearch, query: string, limit = 5): readonly string[] =>
  search.search(query, limit).results.map(({ source }) => source);

const filler = (words: number): string => Array.from({ length: words }, (_, at) => `filler${at}`).join(" ");

t.test("a passage that has none of the question's words is found by those of the best passages", async (t) => {
  using search = await searching("feedback", {
    "money.md": "# Help\n\nYour money comes as a refund. A refund needs the receipt of the parcel.",
    "refund.md": "# Refund\n\nNo refund without the receipt of the parcel.",
    "trains.md": "# Trains\n\nTrains leave each hour.",
    "shops.md": "# Shops\n\nThe shops open each day.",
  });
  t.same(sources(search, "how do I get my money?"), ["money.md:3", "refund.md:3"]);
});

t.test("of two equal passages the one beside further matches comes first", async (t) => {
  const answer = "Answers come from the parcel office.";
  using search = await searching("neighbours", {
    "a.md": `# A\n\n## One\n\n${answer}\n\n## Two\n\n${filler(30)}`,
    "b.md": `# B\n\n## One\n\n${answer}\n\n## Two\n\nThe parcel is heavy. ${filler(30)}`,
  });
  t.match(sources(search, "parcel office")[0], /^b\.md/);
});

t.test("the first heading counts once, although the title repeats it", async (t) => {
  using search = await searching("titles", {
    "chat.md": `# Chat product\n\n${filler(20)}`,
    "invoice.md": `# Invoices\n\n## Chat\n\nInvoices are sent by chat. ${filler(10)}`,
  });
  t.match(sources(search, "chat invoices")[0], /^invoice\.md/);
});

t.test("a file that was made from the version before ranks as one that was made anew", async (t) => {
  const kept = {
    "a.md": `# Parcels\n\nA parcel to Porto.\n\n## Rates\n\nRates by weight. ${filler(20)}`,
    "b.md": "# B\n\nPorto is far.",
  };
  const gone = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`${at}.md`, "# Parcel\n\nRates of a parcel."]));
  using anew = await searching("anew", kept);
  (await searching("changed", { ...gone, ...kept }))[Symbol.dispose]();
  const file = join(folder, "changed.sqlite");
  {
    using index = new KnowledgeIndex(file, { isNew: false });
    index.keep(new Set(Object.keys(kept)));
    index.finish();
  }
  using changed = new KnowledgeSearch(file);
  for (const query of ["parcel rates", "parcel", "how far is Porto by weight"])
    t.same(changed.search(query, 5), anew.search(query, 5), query);
});

t.test("a query is text: neither operators of FTS5 nor a query without words is an error", async (t) => {
  using search = await searching("syntax", { "a.md": "# A\n\nParcels near Porto." });
  t.same(sources(search, 'parcels" OR body:* NEAR(x) - "'), ["a.md:3"]);
  for (const query of ["?!", "the of and", "zzz", "\0"]) t.same(sources(search, query), [], query);
});

t.test("words of every passage do not hide what a rare word finds", async (t) => {
  const all = Object.fromEntries(
    Array.from({ length: 2500 }, (_, at) => [`${at}.md`, `# Common words here\n\nCommon words here ${at}.`]),
  );
  using search = await searching("large", { ...all, "rare.md": "# Common\n\nCommon words about a zeppelin." });
  t.same(sources(search, "common words here zeppelin", 1), ["rare.md:3"]);
  t.equal(sources(search, "common words", 5).length, 5);
});
