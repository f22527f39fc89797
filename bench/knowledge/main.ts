/** Measures the knowledge of a product: `node_modules/.bin/node bench/knowledge/main.ts`. */
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openRelatedWords, NO_RELATED_WORDS, type RelatedWords } from "../../src/engine/memory/search/related-words.ts";
import { type IndexedDocument, KnowledgeIndex } from "../../src/engine/knowledge-reading/build-index.ts";
import { readDocument } from "../../src/engine/knowledge-reading/read-document.ts";
import { KnowledgeSearch } from "../../src/engine/knowledge/search-passages.ts";
import { createLogger } from "../../src/shared/logger.ts";
import { QUESTIONS } from "./questions.ts";

const root = resolve(import.meta.dirname, "../..");
const SIZE = 10_000;
const SEARCHES = 400;
const folder = mkdtempSync(join(tmpdir(), "orchd-knowledge-"));
const related = openRelatedWords(join(root, "data/word-vectors/en"), createLogger("bench", "silent"));

const [documents, readMs, bytes] = await readDocs();
print(
  "read",
  `${documents.length} documents of Markdown, ${(bytes / 1e6).toFixed(1)} MB: ${(bytes / 1e3 / readMs).toFixed(1)} MB/s`,
);
const small = build("docs", documents);
print("recall@5, with related words", recall(small.file, related));
print("recall@5, without", recall(small.file, NO_RELATED_WORDS));
const passages = documents.reduce((sum, one) => sum + one.passages.length, 0);
const many = Array.from({ length: Math.ceil(SIZE / passages) }, (_, at) =>
  documents.map((one) => ({ ...one, path: `${at}/${one.path}` })),
).flat();
const large = build("large", many);
const count = many.reduce((sum, one) => sum + one.passages.length, 0);
print("build", `${count} passages in ${Math.round(large.ms)} ms, ${(statSync(large.file).size / 1e6).toFixed(1)} MB`);
print("search", `${count} passages: ${latency(large.file)}`);
rmSync(folder, { recursive: true });

function print(what: string, figure: string): void {
  process.stdout.write(`${what}: ${figure}\n`);
}

async function readDocs(): Promise<[readonly IndexedDocument[], number, number]> {
  const paths = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
  const files = paths.map((path) => ({ path, content: new Uint8Array(readFileSync(join(root, "docs", path))) }));
  const began = performance.now();
  const read: IndexedDocument[] = [];
  for (const { path, content } of files)
    read.push({ path, ...(await readDocument(content, { type: "text/markdown", path })) });
  return [read, performance.now() - began, files.reduce((sum, { content }) => sum + content.length, 0)];
}

function build(name: string, given: readonly IndexedDocument[]): { readonly file: string; readonly ms: number } {
  const file = join(folder, `${name}.sqlite`);
  const began = performance.now();
  using index = new KnowledgeIndex(file, { isNew: true });
  for (const document of given) index.add(document);
  index.finish();
  return { file, ms: performance.now() - began };
}

/** The share of questions with a result among five that is of the document and says the answer. */
function recall(file: string, words: RelatedWords): string {
  using search = new KnowledgeSearch(file, words);
  const missed = QUESTIONS.filter(
    ([question, path, says]) =>
      !search.search(question, 5).results.some((result) => result.path === path && says.test(result.text)),
  );
  const share = (QUESTIONS.length - missed.length) / QUESTIONS.length;
  return `${share.toFixed(2)} of ${QUESTIONS.length} questions${missed.map(([question]) => `\n  missed: ${question}`).join("")}`;
}

function latency(file: string): string {
  using search = new KnowledgeSearch(file, related);
  const times = Array.from({ length: SEARCHES }, (_, at) => {
    const [question = ""] = QUESTIONS[at % QUESTIONS.length] ?? [];
    const began = performance.now();
    search.search(question, 6);
    return performance.now() - began;
  }).sort((one, other) => one - other);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`;
}
