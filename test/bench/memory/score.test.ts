import t from "tap";
import { FTS5_CONVERSATIONS, FTS5_ROUNDS } from "../../../bench/memory/fts5.ts";
import type { Question } from "../../../bench/memory/history.ts";
import { scoreOf } from "../../../bench/memory/score.ts";

const question: Question = {
  id: "h1-q1",
  ability: "updates",
  kind: "current",
  text: "How many?",
  now: "2024-01-01T00:00:00.000Z",
  evidence: [{ round: "c9/1", holds: "three" }],
  outdated: [{ round: "c2/1", holds: "two" }],
  never: [],
};
const hit = (...of: readonly string[]) => ({ of, text: "four" });
const score = (hits: readonly ReturnType<typeof hit>[], nothingRelevant = false, asked = question) =>
  scoreOf({ question: asked, found: { hits, nothingRelevant }, ms: 1 });

t.test("another round of the right conversation counts for the conversation and not for the round", async (t) => {
  const found = score([hit("c9/4")]);
  t.equal(found.conversations.at5, 1);
  t.equal(found.rounds?.at5, 0);
});

t.test("whole conversations have no recall of rounds", async (t) => {
  t.equal(score([hit("c9")]).rounds, undefined);
  t.equal(score([hit("c9")]).conversations.at5, 1);
});

t.test("the sixth is found among ten and not among five", async (t) => {
  const found = score([hit("c1/1"), hit("c1/2"), hit("c3/1"), hit("c4/1"), hit("c5/1"), hit("c9/1")]);
  t.same(found.conversations, { at5: 0, at10: 1 });
  t.same(found.tokens, { at5: 5, at10: 6 });
});

t.test("a hit that stands for a round already returned takes no place, but is read", async (t) => {
  const found = score([hit("c1/1"), hit("c1/1"), hit("c1/2"), hit("c3/1"), hit("c4/1"), hit("c9/1")]);
  t.equal(found.conversations.at5, 1);
  t.equal(found.tokens.at5, 6);
});

t.test("a hit that stands for many rounds takes as many places", async (t) => {
  t.equal(score([hit("c1/1", "c1/2", "c1/3", "c1/4", "c1/5", "c9/1")]).conversations.at5, 0);
});

t.test("what is true now must be found, and above what was", async (t) => {
  t.equal(score([hit("c9/1"), hit("c2/1")]).currentFirst, true);
  t.equal(score([hit("c2/1"), hit("c9/1")]).currentFirst, false);
  t.equal(score([hit("c9/1")]).currentFirst, true);
  t.equal(score([]).currentFirst, false);
});

t.test("what says that nothing is relevant has returned nothing", async (t) => {
  const found = score([hit("c9/1")], true);
  t.equal(found.abstained, true);
  t.equal(found.conversations.at5, 0);
});

t.test("the baselines find a word of a conversation and its round", async (t) => {
  const rounds = [
    { id: "c1/1", user: "hello", assistant: "hello" },
    { id: "c1/2", user: "my parrot sings", assistant: "lovely" },
  ];
  for (const [kind, id] of [
    [FTS5_CONVERSATIONS, "c1"],
    [FTS5_ROUNDS, "c1/2"],
  ] as const) {
    const system = await kind.open();
    await system.load({ id: "h1", conversations: [{ id: "c1", date: "2023-01-01T00:00:00.000Z", rounds }] });
    const { hits } = await system.search({ query: 'Which "parrots" AND (sing?', now: question.now, limit: 5 });
    t.same(
      hits.map(({ of }) => of),
      [[id]],
    );
    await system.close();
  }
});
