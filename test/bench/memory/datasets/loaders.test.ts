import { join, resolve } from "node:path";
import t from "tap";
import { beam } from "../../../../bench/memory/datasets/beam.ts";
import { locomo } from "../../../../bench/memory/datasets/locomo.ts";
import { longMemEval } from "../../../../bench/memory/datasets/longmemeval.ts";
import type { History } from "../../../../bench/memory/history.ts";

const FIXTURES = resolve(import.meta.dirname, "../../../fixtures/datasets");
const LONGMEMEVAL = join(FIXTURES, "longmemeval.json");
const LOCOMO = join(FIXTURES, "locomo.json");
const BEAM = join(FIXTURES, "beam");

const asked = (histories: readonly History[]) =>
  histories.flatMap(({ questions }) =>
    questions.map(({ ability, kind, evidence }) => [ability, kind, ...evidence.map(({ round }) => round)]),
  );
const dates = (history: History | undefined) => history?.conversations.map(({ date }) => date);

t.test("LongMemEval: marked turns are evidence, else their session is, and _abs has none", async (t) => {
  const { histories, leftOut } = longMemEval(LONGMEMEVAL);
  t.same(asked(histories), [
    ["extraction", "single-session-user", "s1/3"],
    ["multi", "multi-session", "s1", "s2/1"],
    ["abstention", "knowledge-update"],
  ]);
  t.equal(leftOut, 0);
});

t.test("LongMemEval: sessions have their dates, a repeated one is loaded once", async (t) => {
  const [history] = longMemEval(LONGMEMEVAL).histories;
  t.same(dates(history), ["2023-05-20T02:21:00.000Z", "2023-05-21T18:40:00.000Z"]);
  t.equal(history?.questions[0]?.now, "2023-06-02T09:15:00.000Z");
});

t.test("LongMemEval: a session that the assistant begins has a round without a question", async (t) => {
  const [history] = longMemEval(LONGMEMEVAL).histories;
  t.same(history?.conversations[0]?.rounds, [
    { id: "s1/1", user: "…", assistant: "Welcome back." },
    { id: "s1/2", user: "Is oat porridge healthy?", assistant: "Yes, in most cases." },
    { id: "s1/3", user: "My parrot likes it too.", assistant: "Parrots may have a little." },
  ]);
});

t.test("LongMemEval: no more histories than asked for", async (t) => {
  t.equal(longMemEval(LONGMEMEVAL, 2).histories.length, 2);
});

t.test("LoCoMo: evidence is the rounds of its turns, and adversarial questions have none", async (t) => {
  const { histories, leftOut } = locomo(LOCOMO);
  t.same(asked(histories), [
    ["extraction", "single-hop", "s1/1"],
    ["multi", "multi-hop", "s1/1", "s2/1"],
    ["temporal", "temporal", "s1/2"],
    ["abstention", "adversarial"],
  ]);
  t.equal(leftOut, 1, "the question whose evidence names no turn");
});

t.test("LoCoMo: two turns make a round, with speakers and what an image shows", async (t) => {
  const [history] = locomo(LOCOMO).histories;
  t.same(history?.conversations[0]?.rounds, [
    { id: "s1/1", user: "Ben: Hi Ada!", assistant: "Ada: I planted tomatoes. [shares an image: a photo of a garden]" },
    { id: "s1/2", user: "Ben: I start at the bakery on Monday.", assistant: "…" },
  ]);
  t.same(dates(history), ["2023-05-08T13:56:00.000Z", "2023-09-13T00:09:00.000Z"]);
  t.equal(history?.questions[0]?.now, "2023-09-14T00:09:00.000Z", "asked a day after the last session");
});

t.test("BEAM: evidence is the rounds of the source messages, however they are listed", async (t) => {
  const { histories, leftOut } = beam(BEAM);
  t.same(asked(histories), [
    ["abstention", "abstention"],
    ["extraction", "information_extraction", "t2/1"],
    ["temporal", "event_ordering", "t1/1", "t1/2", "t2/1"],
    ["updates", "knowledge_update", "t1/1", "t3/1"],
  ]);
  t.equal(leftOut, 1, "the summary without a source");
});

t.test(
  "BEAM: turns have the dates of their batch, a minute for each round before, and no marks of a plan",
  async (t) => {
    const [history] = beam(join(BEAM, "1/chat.json")).histories;
    t.same(dates(history), ["2024-03-15T00:00:00.000Z", "2024-03-15T00:02:00.000Z", "2024-04-05T00:00:00.000Z"]);
    t.equal(history?.conversations[1]?.rounds[0]?.user, "I use Flask.");
  },
);
