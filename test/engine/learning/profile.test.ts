import t from "tap";
import { MAX_PROFILE_BYTES, profileBytes } from "../../../src/contract/engine/profile.ts";
import { type LearningBench, type Told, learningBench } from "./learning-bench.ts";
import type { ModelPart, ModelProvider } from "../../../src/engine/model/model-provider.ts";
import { type AskedPage, type PageAnswer, fact, scriptedModel } from "./scripted-model.ts";

const single = { single: true };
const lives = (place: string) => fact(`The user lives in ${place}.`, "user", "lives in", place, single);
const likes = (thing: string) => fact(`The user likes ${thing}.`, "user", "likes", thing);

/** A line for each fact, in its words. */
const eachFact: PageAnswer = ({ facts }) => ({
  lines: facts.map(({ number, text }) => ({ section: "about", text, facts: [number] })),
});
const texts = (bench: LearningBench): readonly string[] => bench.profile.read().lines.map(({ text }) => text);

async function learned(bench: LearningBench, ...rounds: readonly Told[]): Promise<void> {
  bench.tell(...rounds);
  await bench.learning.trigger();
}

t.test("a batch writes the page with the rounds of each line", async (t) => {
  const asked: AskedPage[] = [];
  const page: PageAnswer = (input) => {
    asked.push(input);
    return { lines: [{ section: "about", text: "Lives in Lyon and likes tea.", facts: [1, 2] }] };
  };
  const bench = learningBench(t, { page });
  bench.tell(
    { question: "I live in Lyon.", facts: [lives("Lyon")] },
    { question: "I like tea.", facts: [likes("tea")] },
  );
  t.match(await bench.learning.trigger(), { knowledge_added: 2, profile_lines: 1 });
  const rounds = bench.rows("select id from episodes order by number").map(({ id }) => String(id));
  t.match(bench.profile.read(), {
    lines: [{ section: "about", text: "Lives in Lyon and likes tea.", origin: "learned", sources: rounds.toSorted() }],
    bytes: 28,
    max_bytes: MAX_PROFILE_BYTES,
  });
  t.match(asked, [{ facts: [{ number: 1 }, { number: 2 }], page: [], lines_of_the_user: [] }]);
});

t.test(
  "the page is asked for only when its facts have changed, and a line with the same words keeps its id",
  async (t) => {
    let asked = 0;
    const bench = learningBench(t, {
      page: (input) => {
        asked++;
        return eachFact(input);
      },
    });
    await learned(bench, { question: "I like tea.", facts: [likes("tea")] });
    const [first] = bench.profile.read().lines;
    await learned(bench, { question: "What is the weather?" });
    await bench.learning.trigger();
    t.equal(asked, 1);
    await learned(bench, { question: "I like rum.", facts: [likes("rum")] });
    t.equal(asked, 2);
    t.equal(bench.profile.read().lines.find(({ text }) => text === first?.text)?.id, first?.id);
  },
);

t.test("the newer of two facts that cannot both be true closes the older one", async (t) => {
  const bench = learningBench(t, {
    page: ({ facts }) => {
      const [meat, diet] = [facts.find(({ text }) => /meat/.test(text)), facts.find(({ text }) => /vegan/.test(text))];
      return meat === undefined || diet === undefined
        ? eachFact({ facts, page: [], lines_of_the_user: [] })
        : {
            lines: [{ section: "preferences", text: "Eats meat.", facts: [meat.number] }],
            outdated: [{ fact: diet.number, by: meat.number }],
          };
    },
  });
  const vegan = fact("The user is vegan.", "user", "diet", "vegan", single);
  await learned(bench, { question: "I am vegan.", at: "2026-01-01", facts: [vegan] });
  t.same(texts(bench), ["The user is vegan."]);
  const meat = fact("The user eats meat.", "user", "eats", "meat");
  bench.tell({ question: "I eat meat again.", at: "2026-02-01", facts: [meat] });
  t.match(await bench.learning.trigger(), { knowledge_closed: 1 });
  t.same(texts(bench), ["Eats meat."]);
  t.same([bench.live(), bench.closed()], [["The user eats meat."], ["The user is vegan."]]);
  t.match(bench.rows("select superseded_by from knowledge where content = 'The user is vegan.'"), [
    { superseded_by: bench.rows("select id from knowledge where recorded_to is null")[0]?.["id"] },
  ]);
});

t.test("an older fact closes no newer one, nor one about somebody else", async (t) => {
  const bench = learningBench(t, {
    page: (input) => ({
      ...eachFact(input),
      outdated: input.facts.flatMap(({ number: one }) => input.facts.map(({ number }) => ({ fact: one, by: number }))),
    }),
  });
  bench.tell(
    { question: "I like tea.", at: "2026-01-01", facts: [likes("tea")] },
    { question: "Anna likes rum.", at: "2026-02-01", facts: [fact("Anna likes rum.", "Anna", "likes", "rum")] },
  );
  t.match(await bench.learning.trigger(), { knowledge_closed: 0 });
  t.same(bench.live(), ["The user likes tea.", "Anna likes rum."]);
});

t.test("a line goes at once when a fact that it says is closed", async (t) => {
  let pages = 0;
  const bench = learningBench(t, { page: (input) => (pages++ === 0 ? eachFact(input) : { lines: "none" }) });
  await learned(bench, { question: "I live in Lyon.", at: "2026-01-01", facts: [lives("Lyon")] });
  t.same(texts(bench), ["The user lives in Lyon."]);
  await learned(bench, { question: "I live in Rome now.", at: "2026-02-01", facts: [lives("Rome")] });
  t.same(texts(bench), [], "though the model gave no readable page");
  await bench.learning.trigger();
  t.equal(pages, 3, "which is asked for once more, and not again for the same facts");
});

t.test("the page takes at most 2,048 bytes, the first lines of the model before the others", async (t) => {
  const bench = learningBench(t, { page: eachFact });
  const things = Array.from(
    { length: 40 },
    (_, index) => `${"pear".repeat(20)}${String.fromCodePoint(97 + (index % 26))}${index}`,
  );
  bench.tell(...things.map((thing) => ({ question: `I like ${thing}.`, facts: [likes(thing)] })));
  await bench.learning.trigger();
  const { lines, bytes } = bench.profile.read();
  t.equal(bytes, profileBytes(lines));
  t.ok(bytes <= MAX_PROFILE_BYTES && bytes > MAX_PROFILE_BYTES - 110, `${bytes}`);
});

t.test("a corrected line is law: no later batch changes it or adds another value", async (t) => {
  const bench = learningBench(t, { page: eachFact });
  await learned(bench, {
    question: "I live in Lyon and I like tea.",
    at: "2026-01-01",
    facts: [lives("Lyon"), likes("tea")],
  });
  const { id = "" } = bench.profile.read().lines.find(({ text }) => /Lyon/.test(text)) ?? {};
  const corrected = await bench.profile.correct(id, " Lives in Paris. ");
  t.match(corrected, { id, text: "Lives in Paris.", origin: "person", sources: [/^ep_/] });
  t.same(bench.closed(), ["The user lives in Lyon."], "the fact that was wrong is ended");
  await learned(bench, { question: "I live in Rome now.", at: "2026-03-01", facts: [lives("Rome")] });
  await learned(bench, { question: "I live in Lyon.", at: "2026-04-01", facts: [lives("Lyon")] });
  t.same(texts(bench).toSorted(), ["Lives in Paris.", "The user likes tea."]);
  t.match(
    bench.profile.read().lines.find((line) => line.id === id),
    corrected,
  );
});

t.test("a correction keeps the facts that it still says", async (t) => {
  const bench = learningBench(t, {
    page: ({ facts }) => ({
      lines: [{ section: "about", text: "Lives in Lyon and likes tea.", facts: facts.map(({ number }) => number) }],
    }),
  });
  await learned(bench, { question: "I live in Lyon and I like tea.", facts: [lives("Lyon"), likes("tea")] });
  const [line] = bench.profile.read().lines;
  await bench.profile.correct(line?.id ?? "", "Lives in Paris and likes tea.");
  t.same([bench.live(), bench.closed()], [["The user likes tea."], ["The user lives in Lyon."]]);
  await bench.learning.trigger();
  t.same(texts(bench), ["Lives in Paris and likes tea."], "what a person's line says is not said twice");
});

t.test("a deleted line does not come back from the same rounds, and does when the user says it again", async (t) => {
  const bench = learningBench(t, { page: eachFact });
  const twice = [likes("metal"), fact("The user listens to metal.", "user", "listens to", "metal")];
  await learned(bench, { question: "I like metal and listen to metal. I like tea.", facts: [...twice, likes("tea")] });
  const { id = "" } = bench.profile.read().lines.find(({ text }) => text === "The user likes metal.") ?? {};
  await bench.profile.delete(id);
  await bench.learning.trigger();
  t.same(texts(bench), ["The user likes tea."], "nor in other words");
  t.notMatch(JSON.stringify(bench.rows("select * from profile_lines")), /metal/, "the deleted text is not kept");
  await t.rejects(bench.profile.delete(id), { code: "NOT_FOUND" });
  await t.rejects(bench.profile.correct(id, "Likes metal."), { code: "NOT_FOUND" });
  await learned(bench, { question: "I like metal again.", at: "2126-09-01", facts: [likes("metal")] });
  t.same(texts(bench).toSorted(), ["The user likes metal.", "The user likes tea."]);
});

t.test("a fact that is live again is no line while only the rounds of a deleted one support it", async (t) => {
  const bench = learningBench(t, { page: eachFact });
  await learned(bench, { question: "I like metal.", facts: [likes("metal")] });
  await bench.profile.delete(bench.profile.read().lines[0]?.id ?? "");
  // As an import of an older file would store it.
  bench.store.db.exec("update knowledge set recorded_to = null, valid_to = null");
  await bench.learning.trigger();
  t.same(texts(bench), []);
});

t.test("secrets are refused in a correction", async (t) => {
  const bench = learningBench(t, { page: eachFact });
  await learned(bench, { question: "I like tea.", facts: [likes("tea")] });
  const [line] = bench.profile.read().lines;
  await t.rejects(
    async () => bench.profile.correct(line?.id ?? "", "My password is Tulip1234"),
    /text: expected no key/,
  );
  t.same(texts(bench), ["The user likes tea."]);
});

t.test("a correction while the model writes is not overwritten", async (t) => {
  const bench: LearningBench = learningBench(t, {
    page: (input) => {
      const [line] = bench.profile.read().lines;
      if (line?.origin === "learned") corrections.push(bench.profile.correct(line.id, "Likes coffee."));
      return eachFact(input);
    },
  });
  const corrections: Promise<unknown>[] = [];
  await learned(bench, { question: "I like tea.", facts: [likes("tea")] });
  await learned(bench, { question: "I like rum.", facts: [likes("rum")] });
  t.equal((await Promise.all(corrections)).length, 1);
  t.same(texts(bench), ["Likes coffee."], "the page of older facts is dropped");
  await bench.learning.trigger();
  t.same(texts(bench), ["Likes coffee.", "The user likes rum."]);
});

t.test("corrected lines take no more bytes than the page has", async (t) => {
  const bench = learningBench(t, { page: eachFact });
  const things = Array.from({ length: 4 }, (_, index) => `tea${String.fromCodePoint(97 + index)}`);
  bench.tell(...things.map((thing) => ({ question: `I like ${thing}.`, facts: [likes(thing)] })));
  await bench.learning.trigger();
  const [first, second, third] = bench.profile.read().lines.map(({ id }) => id);
  const long = "語".repeat(200);
  for (const id of [first, second, third]) await bench.profile.correct(id ?? "", long);
  const [, , , last] = bench.profile.read().lines;
  await t.rejects(bench.profile.correct(last?.id ?? "", long), /text: expected at most 2048 bytes in all/);
});

t.test("while the provider refuses, the page is left to the next batch and the facts stay", async (t) => {
  const told = { question: "I like tea.", facts: [likes("tea")] };
  const model = scriptedModel(new Map([[told.question, told]]), eachFact);
  let isLimited = true;
  const provider: ModelProvider = {
    name: "limited",
    async *stream(request, signal): AsyncGenerator<ModelPart> {
      const [prompt] = request.messages;
      if (!isLimited || (prompt?.role === "user" && prompt.text.includes('"rounds"')))
        yield* model.stream(request, signal);
      else
        yield {
          kind: "failed",
          failure: { kind: "rate_limited", message: "slow down", retryAfterS: 120 },
          usage: null,
        };
    },
  };
  const bench = learningBench(t, { provider });
  bench.tell(told);
  t.match(await bench.learning.trigger(), { knowledge_added: 1, profile_lines: 0 });
  await t.rejects(bench.learning.trigger(), { code: "LLM_RATE_LIMITED" }, "nothing else was left to learn");
  isLimited = false;
  t.match(await bench.learning.trigger(), { trajectories: 0, profile_lines: 1 });
  t.same(texts(bench), ["The user likes tea."]);
});
