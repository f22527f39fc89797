import t from "tap";
import { CompoundWords } from "../../../../src/engine/memory/search/compound-words.ts";
import { MemorySearch } from "../../../../src/engine/memory/search/search-memory.ts";
import { remembering } from "../memory-bench.ts";

t.test("a compound is split into two words that the store has", async (t) => {
  const { store, tell } = remembering(t);
  tell("2026-01-01", "Der Termin beim Zahnarzt ist am 14. Die Arbeit steht im Vertrag.");
  const compounds = new CompoundWords(store);
  const partsOf = (word: string) => (compounds.partsOf([word]).get(word) ?? []).map(([term]) => term);
  t.same(partsOf("zahnarzttermin"), ["zahnarzt", "termin"]);
  t.same(partsOf("arbeitsvertrag"), ["arbeit", "vertrag"], "without what joins the parts");
  t.same(["zahnarztpraxis", "zahnarzt", "keller"].map(partsOf), [[], [], []], "no part that nothing ever said");
});

t.test("a search finds what the message separates and the question joins", async (t) => {
  const { store, tell } = remembering(t);
  for (let day = 10; day < 28; day++) tell(`2026-01-${day}`, `Was kostet ein Rezept mit Kohl, Nummer ${day}?`);
  tell("2026-01-01", "Die Versicherung für das Auto ist bei der Huk: 640 Euro.");
  const search = new MemorySearch(store);
  const [hit] = await search.search({ query: "Autoversicherung", limit: 3, now: Date.parse("2026-02-01") });
  t.match(hit?.content, /640 Euro/);
});
