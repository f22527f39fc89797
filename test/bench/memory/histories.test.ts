import { createHash } from "node:crypto";
import t from "tap";
import { generate } from "../../../bench/memory/generate.ts";
import { ABILITIES, type History, type Question, textOf, tokensOf } from "../../../bench/memory/history.ts";
import { SPLITS } from "../../../bench/memory/splits.ts";

const histories = Object.entries(SPLITS).flatMap(([split, material]) =>
  [0, 1, 2].map((index) => ({ split, history: generate(material, { seed: 7, index }) })),
);

t.test("the same seed writes the same letters, and another seed does not", async (t) => {
  const hash = (seed: number): string =>
    createHash("sha256")
      .update(JSON.stringify(generate(SPLITS.dev, { seed, index: 0 })))
      .digest("hex");
  t.equal(hash(7), hash(7));
  t.not(hash(7), hash(8));
});

for (const { split, history } of histories) {
  t.test(`${split} ${history.id} has the size and the dates of a year of talk`, async (t) => {
    const { conversations, questions } = history;
    const tokens = conversations.flatMap(({ rounds }) => rounds).reduce((sum, one) => sum + tokensOf(textOf(one)), 0);
    t.ok(tokens > 105_000 && tokens < 125_000, `${tokens} tokens`);
    t.ok(conversations.length >= 40 && conversations.length <= 50);
    t.ok(questions.length >= 25);
    const dates = conversations.map(({ date }) => date);
    t.same(dates, dates.toSorted(), "one after the other");
    const days = (Date.parse(dates.at(-1) ?? "") - Date.parse(dates[0] ?? "")) / 86_400_000;
    t.ok(days > 300 && days < 366, `${days} days`);
    t.ok(
      questions.every(({ now }) => now > (dates.at(-1) ?? "")),
      "asked after the last conversation",
    );
    t.same(
      ABILITIES.filter((ability) => !questions.some((one) => one.ability === ability)),
      [],
    );
  });

  t.test(`${split} ${history.id} holds every answer where its question says`, async (t) => {
    for (const question of history.questions.filter(({ ability }) => ability !== "abstention")) {
      t.ok(question.evidence.length > 0, question.text);
      for (const { round, holds } of [...question.evidence, ...question.outdated]) {
        const found = said(history, round, question);
        t.ok(found?.toLowerCase().includes(holds.toLowerCase()), `${round} says ${holds}`);
      }
      if (["extraction", "updates"].includes(question.ability) || question.kind === "when") {
        t.notOk(question.text.includes(question.evidence[0]?.holds ?? "?"), `not told: ${question.text}`);
      }
      const current = dateOf(history, question.evidence[0]?.round);
      t.ok(
        question.outdated.every(({ round }) => dateOf(history, round) < current),
        "outdated is older",
      );
    }
  });

  t.test(`${split} ${history.id} never says what it must not know`, async (t) => {
    const rounds = history.conversations.flatMap((one) => one.rounds).map(textOf);
    for (const { never, text } of history.questions.filter(({ ability }) => ability === "abstention")) {
      t.ok(never.length > 0, text);
      const words = never.map((word) => new RegExp(`(?<!\\p{L})${word}(?!\\p{L})`, "iu"));
      t.notOk(
        rounds.some((round) => words.every((word) => word.test(round))),
        `nothing says ${never.join(" and ")}`,
      );
    }
  });
}

function said(history: History, id: string, { kind }: Question): string | undefined {
  const round = history.conversations.flatMap(({ rounds }) => rounds).find((one) => one.id === id);
  return kind === "assistant" ? round?.assistant : round?.user;
}

const dateOf = (history: History, round = ""): string =>
  history.conversations.find(({ id }) => id === round.split("/")[0])?.date ?? "";
