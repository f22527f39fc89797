import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { writeWords } from "../../../scripts/words/write-words.ts";
import { indexWords } from "../../../src/engine/memory/index-text.ts";
import { FullTextIndex } from "../../../src/engine/memory/memory-index.ts";
import { MemorySearch } from "../../../src/engine/memory/memory-search.ts";
import { MemoryRecord } from "../../../src/engine/memory/record.ts";
import { RelatedWords, openRelatedWords } from "../../../src/engine/memory/related-words.ts";
import { openStore } from "../../../src/engine/store/open-store.ts";
import { createLogger } from "../../../src/kit/logger.ts";
import { freshFolder } from "../../helpers/folder.ts";

const DAY = 86_400_000;

async function openWords(t: Parameters<typeof freshFolder>[0]): Promise<RelatedWords> {
  const folder = freshFolder(t);
  await writeWords(folder);
  const words = new RelatedWords();
  t.teardown(() => words.close());
  words.open(join(folder, "words.db"));
  return words;
}

t.test("words are related by meaning, kind, derivation, definition and form", async (t) => {
  const words = await openWords(t);
  const weight = (one: string, other: string) => {
    const [stem = "", otherStem = ""] = [one, other].flatMap(indexWords);
    return words.of(stem).find(({ word }) => word === otherStem)?.weight ?? 0;
  };
  for (const [one, other] of [
    ["tires", "tyre"],
    ["father", "dad"],
    ["instruments", "cello"],
    ["allergy", "allergic"],
    ["rent", "tenant"],
    ["bought", "purchase"],
  ] as const)
    t.ok(weight(one, other) > 0, `${one}, ${other}`);
  t.ok(weight("buy", "purchase") > weight("buy", "bribe"), "rare meanings count less");
  t.equal(weight("tires", "cello"), 0);
  t.same(words.of("qzx"), []);
  t.same(words.of("'; drop table related; --"), []);
});

t.test("what was said in other words is found", async (t) => {
  const store = openStore(freshFolder(t));
  t.teardown(() => store.close());
  const record = new MemoryRecord(store, new FullTextIndex(store));
  const say = (number: number, question: string) => {
    const times = { startedAt: number * DAY, endedAt: number * DAY };
    const usage = { inputTokens: 0, outputTokens: 0, cacheHitTokens: 0 };
    const how = { steps: [], trust: 1, outcome: "completed", errorCode: null, usage } as const;
    const ids = { taskId: `task-${number}`, turnId: `turn-${number}` };
    store.transaction(() => record.round({ ...ids, ...times, ...how, question, answer: "I see." }));
  };
  say(1, "I practised the cello until late.");
  say(2, "Please translate this letter.");
  const request = { query: "Which instruments?", limit: 5, now: 3 * DAY, bearing: "touches" } as const;
  t.same(await new MemorySearch(store).search(request), [], "not by its own words");
  const search = new MemorySearch(store, undefined, await openWords(t));
  t.match(await search.search(request), [{ content: /cello/ }]);
});

t.test("words that are open stay readable when an upgrade replaces their file", async (t) => {
  const folder = freshFolder(t);
  const file = join(folder, "words.db");
  await writeWords(folder);
  const words = new RelatedWords();
  t.teardown(() => words.close());
  words.open(file);
  rmSync(file);
  writeFileSync(file, "of another version");
  t.ok(words.of("tire").length > 0);
  t.throws(() => new RelatedWords().open(file), /not a database/);
});

t.test("without the file no word has any", (t) => {
  const words = openRelatedWords(createLogger("test", "silent"));
  t.same(words.of("tire"), []);
  words.close();
  t.end();
});
