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
    const problems: string[] = [];
    for (const question of history.questions.filter(({ ability }) => ability !== "abstention")) {
      const { text, evidence, outdated, ability, kind } = question;
      if (evidence.length === 0) problems.push(`no evidence: ${text}`);
      for (const { round, holds } of [...evidence, ...outdated]) {
        const found = said(history, round, question);
        if (!found?.toLowerCase().includes(holds.toLowerCase())) problems.push(`${round} does not contain ${holds}`);
      }
      const asksForIt = ["extraction", "updates"].includes(ability) || kind === "when";
      if (asksForIt && text.includes(evidence[0]?.holds ?? "?")) problems.push(`contains its answer: ${text}`);
      const current = dateOf(history, evidence[0]?.round);
      if (outdated.some(({ round }) => dateOf(history, round) >= current)) problems.push(`outdated is newer: ${text}`);
    }
    t.same(problems, []);
  });

  t.test(`${split} ${history.id} never says what it must not know`, async (t) => {
    const rounds = history.conversations.flatMap((one) => one.rounds).map(textOf);
    const abstentions = history.questions.filter(({ ability }) => ability === "abstention");
    const answered = abstentions.filter(({ never }) => {
      const words = never.map((word) => new RegExp(`(?<!\\p{L})${word}(?!\\p{L})`, "iu"));
      return words.length === 0 || rounds.some((round) => words.every((word) => word.test(round)));
    });
    t.same(answered, [], "no round contains what must not be known");
  });
}

function said(history: History, id: string, { kind }: Question): string | undefined {
  const round = history.conversations.flatMap(({ rounds }) => rounds).find((one) => one.id === id);
  return kind === "assistant" ? round?.assistant : round?.user;
}

const dateOf = (history: History, round = ""): string =>
  history.conversations.find(({ id }) => id === round.split("/")[0])?.date ?? "";
