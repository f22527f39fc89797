import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import t, { type Test } from "tap";
import { nearestTerms } from "../../../src/shared/words/nearest-terms.ts";
import { readWordVectors } from "../../../src/shared/words/read-word-vectors.ts";
import { RELATED_TERMS, relatedTerms, relatedTermsFile } from "../../../src/shared/words/related-terms-file.ts";

const ENGLISH = resolve(import.meta.dirname, "../../../data/word-vectors/en");

const fileWith = (t: Test, text: string): string => {
  const file = join(t.testdir(), "words.vec");
  writeFileSync(file, text);
  return file;
};

t.test("the English file is the one that its origin describes", async (t) => {
  const bytes = readFileSync(join(ENGLISH, RELATED_TERMS));
  const origin = readFileSync(join(ENGLISH, "ORIGIN.md"), "utf8");
  t.match(origin, createHash("sha256").update(bytes).digest("hex"));
});

t.test("English words have related words, the nearest first", async (t) => {
  const found = relatedTerms(ENGLISH, ["dog", "commut", "zzzz", ""]);
  const [nearest, ...others] = found.get("dog") ?? [];
  t.equal(nearest?.[0], "cat");
  t.ok(others.length > 20 && others.every(([, cosine]) => cosine >= 0.4 && cosine <= (nearest?.[1] ?? 0)));
  t.ok(found.get("commut")?.some(([term]) => term === "bu"));
  t.same([found.get("zzzz"), found.get("")], [[], []]);
});

t.test("a file is found again as it was written, also with words of other scripts", async (t) => {
  const folder = t.testdir();
  const terms = ["straße", "дом", "квартира", "a", "x".repeat(50)];
  const near = [
    [[1, 0.91]],
    [
      [2, 0.7],
      [0, 0.5],
    ],
    [],
    [[4, 0.9]],
    [],
  ] as const;
  writeFileSync(join(folder, RELATED_TERMS), relatedTermsFile(terms, near));
  const found = relatedTerms(folder, terms);
  t.same(found.get("straße"), [["дом", 0.91]]);
  t.same(found.get("дом"), [
    ["квартира", 0.7],
    ["straße", 0.5],
  ]);
  t.same(found.get("a"), [], "the other word does not fit the file");
  t.same(found.get("x".repeat(50)), []);
});

t.test("vectors are read in the text format of fastText and of GloVe", async (t) => {
  const lines = "the 1 0 0\ndogs 0 1 0\ndog 0 0 1\n, 0 0 0\n";
  const withHeader = await readWordVectors(fileWith(t, `4 3\n${lines}`));
  const without = await readWordVectors(fileWith(t, lines));
  t.same(withHeader, without);
  t.same(without.terms, ["dog"], "function words and punctuation are left out, and a term has its first vector");
  t.same([...without.vectors], [0, 1, 0]);
});

t.test("a file that has no vectors is refused by its line", async (t) => {
  await t.rejects(
    readWordVectors(fileWith(t, "dog 0.5 1\ncat 0.5\n")),
    /^line 2: expected a word and 2 numbers, got 1/,
  );
  await t.rejects(readWordVectors(fileWith(t, "dog 0.5 one\n")), /^line 1: expected numbers/);
  await t.rejects(readWordVectors(fileWith(t, "<html>\n")), /line 1/);
  await t.rejects(readWordVectors(fileWith(t, "")), /no words/);
  await t.rejects(readWordVectors(join(t.testdir(), "none.vec")), { code: "ENOENT" });
});

t.test("what all words share does not make them related", async (t) => {
  // Each vector is mostly the shared direction; a small part is its own.
  const vectors = Array.from({ length: 40 }, (_, at) => [
    100,
    ...Array.from({ length: 20 }, (_, d) => (d === at % 20 ? 1 : 0)),
  ]);
  const near = nearestTerms({
    terms: vectors.map((_, at) => `w${at}`),
    vectors: Float32Array.from(vectors.flat()),
    dimensions: 21,
  });
  t.equal(near[3]?.[0]?.[0], 23, "the word with the same part of its own");
  t.ok((near[3] ?? []).length < 10, "and not all others");
});

t.test("a folder with another file is refused", async (t) => {
  const folder = join(t.testdir(), "other");
  mkdirSync(folder);
  writeFileSync(join(folder, RELATED_TERMS), "not a file of related words, but long enough for a header");
  t.throws(() => relatedTerms(folder, ["dog"]), /orchctl vectors convert/);
  writeFileSync(join(folder, RELATED_TERMS), "");
  t.throws(() => relatedTerms(folder, ["dog"]), /incomplete/);
});
