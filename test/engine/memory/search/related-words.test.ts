import { resolve } from "node:path";
import t from "tap";
import { openRelatedWords } from "../../../../src/engine/memory/search/related-words.ts";
import { MemorySearch } from "../../../../src/engine/memory/search/search-memory.ts";
import { createLogger } from "../../../../src/shared/logger.ts";
import { remembering } from "../memory-bench.ts";

const NOW = Date.parse("2026-11-21T09:00:00Z");
const ENGLISH = resolve(import.meta.dirname, "../../../../data/word-vectors/en");

t.test("a question finds what was said in other words", async (t) => {
  const { store, tell } = remembering(t);
  tell("2026-03-02", "The vet says Biscuit must lose two kilos.");
  tell("2026-03-03", "How do I boil an egg for four minutes?");
  tell("2026-03-04", "The movie about the lighthouse was three hours long.");
  const related = openRelatedWords(ENGLISH, createLogger("test", "silent"));
  const first = async (query: string, search: MemorySearch) =>
    (await search.search({ query, limit: 1, now: NOW })).map(({ content }) => content.split("\n")[0]);
  const search = new MemorySearch(store, undefined, related);
  t.same(await first("Which film did I see?", search), ["The movie about the lighthouse was three hours long."]);
  t.same(await first("How is my puppy's veterinarian?", search), ["The vet says Biscuit must lose two kilos."]);
  t.same(await first("How is my puppy's veterinarian?", new MemorySearch(store)), [], "not by the words themselves");
});

t.test("without its folder the search goes by the words themselves, and says so once", async (t) => {
  const { store, tell } = remembering(t);
  tell("2026-03-02", "My sister Ingrid teaches cello in Bergen.");
  const logger = createLogger("test", "silent");
  const said: unknown[] = [];
  logger.warn = (...line: unknown[]) => void said.push(line.at(-1));
  const search = new MemorySearch(store, undefined, openRelatedWords("/no/such/folder", logger));
  for (let asked = 0; asked < 3; asked++)
    t.equal((await search.search({ query: "Where does my sister teach cello?", limit: 1, now: NOW })).length, 1);
  t.equal(said.length, 1);
  t.match(said[0], /ENGINE_WORD_VECTORS/);
});
