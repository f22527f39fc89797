import t from "tap";
import { KnowledgeTable } from "../../../src/engine/memory/knowledge.ts";
import { learningTables } from "../../../src/engine/memory/open-memory.ts";
import { TRUST } from "../../../src/engine/memory/trust.ts";
import { openStore } from "../../../src/engine/store/open-store.ts";
import { type Told, learningBench } from "./learning-bench.ts";
import { fact } from "./scripted-model.ts";

const home = (question: string, place: string, validFrom: string | null = null): Told => ({
  question,
  facts: [fact(`User lives in ${place}`, "user", "lives in", place, { single: true, valid_from: validFrom })],
});
const likes = (question: string, what: string, negated = false): Told => ({
  question,
  facts: [fact(negated ? `User does not like ${what}` : `User likes ${what}`, "user", "likes", what, { negated })],
});
const sister = { name: "Anna", type: "person", relation: "sister" };

t.test("a batch learns facts, people and keys, and returns the counts", async (t) => {
  const bench = learningBench(t);
  bench.tell(
    {
      question: "My sister Anna lives in Oslo and she works at Equinor.",
      at: "2026-01-10T09:00:00Z",
      facts: [
        fact("User's sister is Anna", "user", "sister", "Anna"),
        fact("Anna lives in Oslo", "Anna", "lives in", "Oslo", { single: true }),
        fact("Anna works at Equinor", "Anna", "works at", "Equinor", { single: true }),
      ],
      people: [sister, { name: "Equinor", type: "organisation" }],
    },
    { ...home("I live in Paris. What is the weather like?", "Paris"), at: "2026-01-11T09:00:00Z" },
    {
      ...home("I moved to Lyon last week, so I need a new dentist.", "Lyon", "2026-02-23"),
      at: "2026-03-04T09:00:00Z",
    },
  );
  const batch = await bench.learning.trigger();
  t.match(batch, { trajectories: 3, episodes: 3, knowledge_closed: 1, nodes: 2, skills_drafted: 0 });
  t.match(batch.batch_id, /^lb_/);
  t.equal(batch.knowledge_added, bench.rows("select 1 from knowledge").length);
  t.same(bench.closed(), ["User lives in Paris"]);
  t.same(bench.live(), ["User's sister is Anna", "Anna lives in Oslo", "Anna works at Equinor", "User lives in Lyon"]);
  const [old] = bench.rows("select * from knowledge where content = 'User lives in Paris'");
  const [now] = bench.rows("select * from knowledge where content = 'User lives in Lyon'");
  t.equal(old?.["superseded_by"], now?.["id"]);
  t.equal(old?.["valid_to"], now?.["valid_from"]);
  t.equal(now?.["valid_from"], Date.parse("2026-02-23"));
  t.same(
    bench.rows("select distinct trust, source from knowledge").map((row) => ({ ...row })),
    [{ trust: TRUST.user, source: "user" }],
  );
  t.match(bench.rows("select keys from episodes")[0]?.["keys"], /Anna lives in Oslo .*residence/);
  t.same(
    bench.rows("select name, type from social_nodes order by name").map((row) => ({ ...row })),
    [
      { name: "Anna", type: "person" },
      { name: "Equinor", type: "organisation" },
      { name: "user", type: "person" },
    ],
  );
  t.same(await bench.learning.trigger().then(({ trajectories }) => trajectories), 0, "nothing is left");
});

t.test("a person may be introduced before or after a fact about them", async (t) => {
  const lives = (text: string, subject: string, place: string) => [
    fact(text, subject, "lives in", place, { single: true }),
  ];
  const vet = (text: string, subject: string, name: string) => [fact(text, subject, "vet", name, { single: true })];
  const bench = learningBench(t);
  bench.tell(
    { question: "My sister lives in Oslo.", facts: lives("User's sister lives in Oslo", "user's sister", "Oslo") },
    {
      question: "My sister Anna moved to Bergen.",
      facts: lives("Anna lives in Bergen", "Anna", "Bergen"),
      people: [sister],
    },
    {
      question: "My dog Rex is a golden retriever.",
      facts: [fact("Rex is a golden retriever", "Rex", "is", "golden retriever")],
      people: [{ name: "Rex", type: "animal", relation: "dog" }],
    },
    {
      question: "My dog's vet is Dr. Keller.",
      facts: vet("User's dog's vet is Dr. Keller", "user's dog", "Dr. Keller"),
    },
    { question: "Rex's vet is now Dr. Osei.", facts: vet("Rex's vet is Dr. Osei", "Rex", "Dr. Osei") },
  );
  await bench.learning.trigger();
  t.ok(bench.closed().includes("User's sister lives in Oslo"));
  t.ok(bench.live().includes("Anna lives in Bergen"));
  t.ok(bench.closed().includes("User's dog's vet is Dr. Keller"), "the dog is Rex");
  t.ok(bench.live().includes("Rex's vet is Dr. Osei"));
});

t.test("indexing many rounds again leaves a writable store", async (t) => {
  const bench = learningBench(t);
  for (let day = 0; day < 5; day++) {
    for (let size = 0; size < 20; size++) {
      const shoes = fact(`User's shoe size is ${size}`, "user", "shoe size", `${size}`, { single: true });
      bench.tell({ question: `My shoe size is ${size}.`, facts: [shoes] });
    }
    await bench.learning.trigger();
  }
  t.equal(bench.rows("select 1 from trajectories where batch_id is null").length, 0);
  t.equal(bench.live().length, 1);
});

t.test("facts of a predicate with several objects do not conflict", async (t) => {
  const looked: string[] = [];
  const store = openStore(t.testdir());
  class Watched extends KnowledgeTable {
    override liveAbout(subject: string, predicate: string) {
      const found = super.liveAbout(subject, predicate);
      looked.push(...found.map(({ content }) => content));
      return found;
    }
  }
  const bench = learningBench(t, { tables: { ...learningTables(store), knowledge: new Watched(store) }, store });
  bench.tell(likes("I like plums.", "plums"), likes("I like figs.", "figs"), likes("I like dates.", "dates"));
  await bench.learning.trigger();
  t.equal(bench.live().length, 3);
  t.same(looked, []);
  bench.tell(likes("I don't like figs any more.", "figs", true));
  await bench.learning.trigger();
  t.same(bench.closed(), ["User likes figs"]);
});

t.test("a move closes the old residence fact", async (t) => {
  for (const [move, since] of [
    ["Actually, I moved to Munich yesterday.", "2026-03-03"],
    ["I moved to Munich in February.", "2026-02-01"],
    ["I live in Munich.", null],
    ["Correction: I moved to Munich in 2019.", "2019-01-01"],
  ] as const) {
    const bench = learningBench(t);
    bench.tell(home("I live in Berlin.", "Berlin"), home(move, "Munich", since));
    await bench.learning.trigger();
    t.same([bench.live(), bench.closed()], [["User lives in Munich"], ["User lives in Berlin"]], move);
    const [berlin] = bench.rows("select valid_from, valid_to from knowledge where content like '%Berlin'");
    t.equal(berlin?.["valid_from"], null, "nobody said since when");
    const [munich] = bench.rows(
      `select coalesce(valid_from, event_time) as since from knowledge
       join knowledge_evidence on knowledge_id = knowledge.id join episodes on episodes.id = episode_id
       where content like '%Munich'`,
    );
    t.equal(berlin?.["valid_to"], munich?.["since"]);
  }
});

t.test("a late statement about a former residence does not change the current one", async (t) => {
  for (const [past, text, since] of [
    ["In 2019 I lived in Oslo.", "User lived in Oslo in 2019", "2019-01-01"],
    ["I used to live in Oslo.", "User used to live in Oslo", null],
    ["I moved to Oslo in 2019.", "User lives in Oslo", "2019-01-01"],
  ] as const) {
    const bench = learningBench(t);
    const facts = [fact(text, "user", "lives in", "Oslo", { single: true, valid_from: since })];
    bench.tell(home("I live in Berlin.", "Berlin"), { question: past, facts });
    await bench.learning.trigger();
    t.match(bench.live(), ["User lives in Berlin"], past);
    t.notOk(bench.live().includes("User lives in Oslo"), past);
  }
});

t.test("moving back makes the old residence current again", async (t) => {
  const bench = learningBench(t);
  bench.tell(
    { ...home("I live in Berlin.", "Berlin"), at: "2026-01-10T09:00:00Z" },
    { ...home("I moved to Munich last week.", "Munich", "2026-02-02"), at: "2026-02-10T09:00:00Z" },
    { ...home("I live in Berlin.", "Berlin"), at: "2026-03-10T09:00:00Z" },
  );
  await bench.learning.trigger();
  t.same(bench.live(), ["User lives in Berlin"]);
  t.same(bench.closed(), ["User lives in Berlin", "User lives in Munich"]);
});
