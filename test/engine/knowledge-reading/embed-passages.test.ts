import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { KnowledgeIndex } from "../../../src/engine/knowledge-reading/build-index.ts";
import { embedPassages } from "../../../src/engine/knowledge-reading/embed-passages.ts";
import type { TextEmbedder } from "../../../src/engine/memory/embeddings/text-embedder.ts";

const folder = mkdtempSync(join(tmpdir(), "orchd-embed-passages-"));
t.teardown(() => rmSync(folder, { recursive: true }));

const place = { heading: ["Numbers"], lines: [1, 1] as [number, number], pages: null };
const passages = Array.from({ length: 40 }, (_, at) => ({ number: at + 1, ...place, text: `Number ${at}.` }));
function indexed(name: string): string {
  const file = join(folder, name);
  using index = new KnowledgeIndex(file, { isNew: true });
  index.add({ path: "numbers.md", title: "Numbers", passages });
  index.finish();
  return file;
}
const never = new AbortController().signal;
const refusal = () => Promise.reject(Object.assign(new Error("refused"), { isOfTexts: true, retryAfterMs: null }));
const embed = (file: string, made: TextEmbedder["embed"], model = "small") =>
  embedPassages(file, { embedder: { model, embed: made }, stopped: never });
const ones =
  (dimensions: number): TextEmbedder["embed"] =>
  (texts) =>
    Promise.resolve(texts.map(() => Array.from({ length: dimensions }, () => 1)));

t.test("a failure leaves what was made before it, and the next run makes the others", async (t) => {
  const file = indexed("failure");
  let calls = 0;
  const failing: TextEmbedder["embed"] = (texts, signal) =>
    calls++ === 0 ? ones(8)(texts, signal) : Promise.reject(Object.assign(new Error("busy"), { retryAfterMs: 3000 }));
  t.match(await embed(file, failing), { embedded: 32, waiting: 8, made: 32, error: "busy", retry_after_ms: 3000 });
  t.match(await embed(file, ones(8)), { model: "small", embedded: 40, waiting: 0, made: 8, error: null });
  t.match(await embed(file, ones(8)), { embedded: 40, made: 0 });
});

t.test("another model, and vectors of another length, make all vectors again", async (t) => {
  const file = indexed("models");
  await embed(file, ones(8));
  t.match(await embed(file, ones(8), "large"), { model: "large", embedded: 40, made: 40 });
  using index = new KnowledgeIndex(file, { isNew: false });
  index.keep(new Set());
  t.same(index.finish(), { model: "large", embedded: 0, waiting: 0 });
});

t.test("an endpoint that refuses every text fails, and gives up no passage", async (t) => {
  t.match(await embed(indexed("refused"), refusal), { embedded: 0, waiting: 40, made: 0, error: "refused" });
});

t.test("a text that is refused at any length gets no vector, and the others do", async (t) => {
  const picky: TextEmbedder["embed"] = (texts, signal) =>
    texts.some((text) => text.includes("Number 7.")) ? refusal() : ones(8)(texts, signal);
  t.match(await embed(indexed("picky"), picky), { embedded: 39, waiting: 0, made: 40, error: null });
});

t.test("an endpoint whose vectors differ in length fails", async (t) => {
  let dimensions = 8;
  const growing: TextEmbedder["embed"] = (texts, signal) => ones(dimensions++)(texts, signal);
  t.match(await embed(indexed("lengths"), growing), { embedded: 32, error: /several lengths/ });
});
