/** Measures the knowledge of a product: `npm run bench:knowledge`. See README.md beside this file. */
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type IndexedDocument, KnowledgeIndex } from "../../src/engine/knowledge-reading/build-index.ts";
import { readDocument } from "../../src/engine/knowledge-reading/read-document.ts";
import { embedPassages } from "../../src/engine/knowledge-reading/embed-passages.ts";
import { KnowledgeSearch, NEAREST } from "../../src/engine/knowledge/search-passages.ts";
import { vectorSearch } from "../../src/engine/memory/embeddings/embed-query.ts";
import type { TextEmbedder } from "../../src/engine/memory/embeddings/text-embedder.ts";
import { createEmbedder } from "../../src/engine/model/embedder.ts";
import { NO_METER } from "../../src/engine/model/metered-provider.ts";
import { createLogger } from "../../src/shared/logger.ts";
import { type Question, SPLITS, questionsOf } from "./questions.ts";
import { type Search, openFts5 } from "./systems.ts";

const root = resolve(import.meta.dirname, "../..");
const SIZE = 10_000;
const SEARCHES = 400;
const { values } = parseArgs({
  options: {
    "show-misses": { type: "boolean", default: false },
    "embeddings-url": { type: "string" },
    "embeddings-model": { type: "string", default: "" },
  },
});

const folder = mkdtempSync(join(tmpdir(), "orchd-knowledge-"));
try {
  const [documents, readMs, bytes] = await readDocs();
  const speed = (bytes / 1e3 / readMs).toFixed(1);
  print("read", `${documents.length} documents of Markdown, ${(bytes / 1e6).toFixed(1)} MB: ${speed} MB/s`);
  await compare(documents);
  atSize(documents);
} finally {
  rmSync(folder, { recursive: true });
}

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

/** Recall of each system on both halves of the questions. */
async function compare(documents: readonly IndexedDocument[]): Promise<void> {
  const { file } = build("docs", documents);
  const embedder = embedderOf();
  if (embedder !== null) await embed(file, embedder);
  using orchd = new KnowledgeSearch(file);
  using plain = openFts5(documents, { headings: false });
  using headed = openFts5(documents, { headings: true });
  const search: Search = (question, limit) => orchd.search(question, limit).results;
  const systems: Readonly<Record<string, Search>> = {
    orchd: search,
    ...(embedder !== null && { "orchd with embeddings": searchNear(orchd, embedder) }),
    "FTS5 over headings and text": headed.search,
    "FTS5 over text": plain.search,
  };
  for (const split of SPLITS) {
    const questions = questionsOf(split, documents);
    const twice = questionsOf(split, documents, { together: true });
    for (const [name, system] of Object.entries(systems)) {
      await report(`${split}, ${questions.length} questions, ${name}`, system, questions);
      await report(`${split}, ${twice.length} in two wordings at once, ${name}`, system, twice);
    }
    // The held-out half is not to be learned from.
    if (values["show-misses"] && split === "dev") await showMisses(search, questions);
  }
}

function embedderOf(): TextEmbedder | null {
  const { "embeddings-url": url, "embeddings-model": model } = values;
  if (url === undefined) return null;
  return createEmbedder(
    { url, model, apiKey: process.env["ENGINE_EMBEDDINGS_KEY"] },
    { meter: NO_METER, extraCaCerts: null },
  );
}

async function embed(file: string, embedder: TextEmbedder): Promise<void> {
  const began = performance.now();
  const { embedded, error } = await embedPassages(file, { embedder, stopped: new AbortController().signal });
  if (error !== null) throw new Error(error);
  print("vectors", `${embedded} passages in ${Math.round((performance.now() - began) / 1000)} s`);
}

function searchNear(orchd: KnowledgeSearch, embedder: TextEmbedder): Search {
  const nearest = vectorSearch({
    embedder,
    nearest: () => orchd.nearestOf(embedder.model),
    stopping: new AbortController().signal,
    logger: createLogger("bench", "silent"),
  });
  return async (question, limit) => orchd.search(question, limit, await nearest(question, NEAREST)).results;
}

async function report(what: string, search: Search, questions: readonly Question[]): Promise<void> {
  const places: number[] = [];
  for (const question of questions) places.push(await placeIn(search, question));
  const at = (limit: number) => (places.filter((place) => place < limit).length / places.length).toFixed(2);
  const mrr = places.reduce((sum, place) => sum + 1 / (place + 1), 0) / places.length;
  let characters = 0;
  for (const { text } of questions) for (const found of await search(text, 5)) characters += found.text.length;
  const tokens = Math.round(characters / 4 / questions.length);
  print(
    what,
    `recall@1 ${at(1)}, @3 ${at(3)}, @5 ${at(5)}, @10 ${at(10)}, MRR ${mrr.toFixed(2)}, ${tokens} tokens of 5`,
  );
}

async function showMisses(search: Search, questions: readonly Question[]): Promise<void> {
  for (const question of questions) {
    const place = await placeIn(search, question);
    if (place >= 5) print("  missed", `${question.text} (${place === Infinity ? "not found" : `at ${place + 1}`})`);
  }
}

/** The place of the first of ten results that answers, from 0. Infinity without. */
async function placeIn(search: Search, { text, answers }: Question): Promise<number> {
  const place = (await search(text, 10)).findIndex((result) =>
    answers.some(({ path, words }) => result.path === path && result.text.includes(words)),
  );
  return place === -1 ? Infinity : place;
}

function atSize(documents: readonly IndexedDocument[]): void {
  const passages = documents.reduce((sum, one) => sum + one.passages.length, 0);
  const many = Array.from({ length: Math.ceil(SIZE / passages) }, (_, at) =>
    documents.map((one) => ({ ...one, path: `${at}/${one.path}` })),
  ).flat();
  const large = build("large", many);
  const count = many.reduce((sum, one) => sum + one.passages.length, 0);
  print("build", `${count} passages in ${Math.round(large.ms)} ms, ${(statSync(large.file).size / 1e6).toFixed(1)} MB`);
  const questions = questionsOf("dev", documents).map(({ text }) => text);
  print("search", `${count} passages: ${latency(large.file, questions)}`);
}

function latency(file: string, questions: readonly string[]): string {
  using search = new KnowledgeSearch(file);
  const times = Array.from({ length: SEARCHES }, (_, at) => {
    const began = performance.now();
    search.search(questions[at % questions.length] ?? "", 6);
    return performance.now() - began;
  }).sort((one, other) => one - other);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`;
}
