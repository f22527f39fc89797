import t from "tap";
import { EpisodeTable } from "../../../../src/engine/memory/episodes.ts";
import { episodeItem, factItem } from "../../../../src/engine/memory/search/memory-index.ts";
import { MemorySearch, type SearchRequest } from "../../../../src/engine/memory/search/search-memory.ts";
import { remembering } from "../memory-bench.ts";

const NOW = Date.parse("2026-11-21T09:00:00Z");

const setUp = (t: Parameters<typeof remembering>[0]) => {
  const memory = remembering(t);
  const search = new MemorySearch(memory.store);
  const found = async (query: string, more: Partial<SearchRequest> = {}) =>
    (await search.search({ query, limit: 10, now: NOW, ...more })).map(({ content }) => content.split("\n")[0]);
  /** A fact that was learnt in a turn. */
  const learn = (turnId: string, content: string, [subject, predicate, object]: readonly [string, string, string]) => {
    const episode = new EpisodeTable(memory.store).ofTurn(turnId);
    if (episode === null) throw new Error(`${turnId} is not remembered`);
    return memory.store.transaction(() => {
      const { knowledge, index } = memory.tables;
      const said = { content, subject, predicate, object, hash: content, importance: 5, confidence: 1 };
      const fact = knowledge.insert(
        { ...said, source: "user", trust: 3, validFrom: episode.eventTime },
        { statedAt: episode.eventTime, recordedFrom: episode.eventTime },
      );
      knowledge.addEvidence(fact.id, episode.id);
      index.put(factItem(fact, { isLive: true }));
      index.put(episodeItem(episode, content));
      return fact;
    });
  };
  return { ...memory, search, found, learn };
};

t.test("a question finds the round with the answer, and no unrelated ones", async (t) => {
  const { tell, found } = setUp(t);
  tell("2026-03-02", "My sister Ingrid teaches cello in Bergen.");
  tell("2026-03-03", "How do I boil an egg for four minutes?");
  tell("2026-03-04", "The neighbours are painting their fence green.");
  t.same(await found("Where does my sister teach cello?"), ["My sister Ingrid teaches cello in Bergen."]);
  t.same(await found("Which colour is my motorbike?"), []);
  t.same(await found("hello"), []);
  t.same(await found("?!"), []);
});

t.test("a round that only asked the same ranks after the answer", async (t) => {
  const { tell, found, learn } = setUp(t);
  const turn = tell("2026-03-02", "My sister Ingrid lives in Bergen, near the harbour.");
  learn(turn, "Ingrid lives in Bergen", ["Ingrid", "lives in", "Bergen"]);
  tell("2026-03-09", "Where does Ingrid live?", "You have not told me.");
  const all = await found("Where does Ingrid live?");
  t.equal(all.at(-1), "Where does Ingrid live?");
  t.equal(all.length, 3);
});

t.test("a question about the user ranks facts about the user first", async (t) => {
  const { tell, found, learn } = setUp(t);
  const own = tell("2026-03-02", "Actually, I moved to Munich yesterday.");
  learn(own, "User lives in Munich", ["user", "lives in", "Munich"]);
  const other = tell("2026-03-09", "Anna moved to Marseille.");
  learn(other, "Anna lives in Marseille", ["Anna", "lives in", "Marseille"]);
  t.match((await found("Where do I live?"))[0], /Munich/);
  t.match((await found("Where does Anna live?"))[0], /Marseille/);
});

t.test("a query that is no question finds what it names", async (t) => {
  const { tell, found } = setUp(t);
  tell("2026-03-02", "My sister Ingrid teaches cello.");
  tell("2026-03-04", "The neighbours are painting their fence green.");
  t.same(await found("Ingrid Norwegen"), ["My sister Ingrid teaches cello."]);
});

t.test("a question about a time prefers items of that time", async (t) => {
  const { tell, found } = setUp(t);
  tell("2026-01-10", "I ran a race in the rain and finished it.");
  tell("2026-03-11", "I ran a race along the river and finished it.");
  tell("2026-09-12", "I ran a race up the hill and finished it.");
  t.equal((await found("Which race did I run last March?"))[0], "I ran a race along the river and finished it.");
  t.equal((await found("Which race did I run in January?"))[0], "I ran a race in the rain and finished it.");
  t.equal((await found("Which race did I run on 12 September?"))[0], "I ran a race up the hill and finished it.");
  t.same(await found("What did I talk about in March?"), ["I ran a race along the river and finished it."]);
});

t.test("the latest statement ranks first, and questions about the past find closed facts", async (t) => {
  const { tell, found, learn, tables, store } = setUp(t);
  tell("2026-02-01", "My boss at work is called Magda.");
  tell("2026-08-01", "My boss at work is called Jonas.");
  t.same(await found("Who is my boss at work?"), [
    "My boss at work is called Jonas.",
    "My boss at work is called Magda.",
  ]);
  const old = learn("turn_1", "The user's boss is Magda.", ["user", "boss", "Magda"]);
  store.transaction(() => {
    const closing = { validTo: Date.parse("2026-08-01"), recordedTo: Date.parse("2026-08-01"), supersededBy: null };
    tables.knowledge.close(old.id, closing);
    tables.index.put(factItem(old, { isLive: false }));
  });
  const facts = { kinds: ["fact"] } as const;
  t.same(await found("Who is my boss?", facts), []);
  t.same(await found("Who was my boss before?", facts), ["The user's boss is Magda."]);
  t.same(await found("Who is my boss?", { ...facts, asOf: Date.parse("2026-05-01") }), ["The user's boss is Magda."]);
});

t.test("a fact leads to its source round, by words that the round does not contain", async (t) => {
  const { tell, found, learn } = setUp(t);
  const turn = tell("2026-04-01", "I signed at Vantage yesterday, my head is spinning.");
  tell("2026-04-02", "The weather is dreadful again.");
  learn(turn, "The user's employer is Vantage.", ["user", "employer", "Vantage"]);
  t.same(
    (await found("Who is my employer?")).toSorted((one = "", other = "") => one.localeCompare(other)),
    ["I signed at Vantage yesterday, my head is spinning.", "The user's employer is Vantage."],
  );
});

t.test("a named person leads to their mentions and those of their neighbours", async (t) => {
  const { tell, found, store } = setUp(t);
  const turn = tell("2026-04-01", "We had pancakes with blueberries at the lake house.");
  const id = new EpisodeTable(store).ofTurn(turn)?.id;
  store.db.exec(`
    insert into social_nodes values (1, 'nd_1', 'Wilhelmina', 'person', '', 3, 1, 1, 1);
    insert into social_aliases values ('mina', 'nd_1');
    insert into social_mentions values ('nd_1', '${String(id)}')`);
  t.same(await found("pancakes with Mina"), ["We had pancakes with blueberries at the lake house."]);
});

t.test("duplicate rounds are returned once", async (t) => {
  const { tell, found } = setUp(t);
  for (const day of ["2026-05-01", "2026-05-02", "2026-05-03"]) tell(day, "Remind me to water the ficus in the hall.");
  t.equal((await found("water the ficus")).length, 1);
});

t.test("turns of the shown conversation are omitted", async (t) => {
  const { tell, found } = setUp(t);
  const turn = tell("2026-05-01", "My locker at the gym has the number 118.");
  t.equal((await found("number of my locker")).length, 1);
  t.same(await found("number of my locker", { withoutTurns: new Set([turn]) }), []);
});

t.test("notes are found", async (t) => {
  const { record, store, found } = setUp(t);
  const entry = { taskId: "task", turnId: "turn", createdAt: NOW - 1000, content: "The printer needs toner K-220." };
  store.transaction(() => record.note({ ...entry, entryType: "observation" }));
  t.same(await found("Which toner does the printer need?"), ["The printer needs toner K-220."]);
});
