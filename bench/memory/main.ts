/**
 * Asks memories about a year of conversations: how much of what was said is found, how fast, and in how many tokens.
 * See README.md beside this file.
 */
import { type Options, options } from "./arguments.ts";
import { everyday } from "./everyday.ts";
import { generate } from "./generate.ts";
import { type History, tokensOf } from "./history.ts";
import { isMiss, misses } from "./misses.ts";
import { sharedWords } from "./overlap.ts";
import type { Outcome } from "./score.ts";
import { SPLITS } from "./splits.ts";
import { summarize } from "./summary.ts";
import type { SystemKind } from "./system.ts";
import { SYSTEMS } from "./systems.ts";
import { table } from "./table.ts";

const chosen = options(process.argv.slice(2), SYSTEMS);
if ("wrong" in chosen) {
  process.stderr.write(`${chosen.wrong}\n`);
  process.exitCode = 2;
} else {
  await bench(chosen);
}

async function bench(options: Options): Promise<void> {
  const { split, seed, systems, json, showMisses } = options;
  const histories = historiesOf(options);
  const summaries = [];
  for (const kind of systems) {
    const outcomes = [];
    for (const history of histories) {
      outcomes.push(...(await ask(kind, history)).map((outcome) => ({ history, outcome })));
    }
    summaries.push(
      summarize(
        kind.name,
        outcomes.map(({ outcome }) => outcome),
      ),
    );
    const missed = outcomes.filter(({ outcome }) => isMiss(outcome)).slice(0, showMisses);
    if (missed.length > 0) (json ? process.stderr : process.stdout).write(`${kind.name} missed\n${misses(missed)}\n`);
  }
  const about = aboutHistories(histories);
  const result = json ? JSON.stringify({ split, seed, ...about, systems: summaries }, null, 2) : table(summaries);
  process.stdout.write(json ? `${result}\n` : `${split}, seed ${seed}: ${JSON.stringify(about)}\n\n${result}`);
}

function historiesOf({ split, seed, histories, everyday: isEveryday, german: isGerman }: Options): readonly History[] {
  if (isGerman) return [everyday("german-dev")];
  if (isEveryday) return [everyday(split)];
  return Array.from({ length: histories }, (_, index) => generate(SPLITS[split], { seed, index }));
}

async function ask(kind: SystemKind, history: History): Promise<readonly Outcome[]> {
  const system = await kind.open();
  try {
    await system.load({ id: history.id, conversations: history.conversations });
    const outcomes: Outcome[] = [];
    for (const question of history.questions) {
      const began = performance.now();
      const found = await system.search({ query: question.text, now: question.now, limit: 10 });
      outcomes.push({ question, found, ms: performance.now() - began });
    }
    return outcomes;
  } finally {
    await system.close();
  }
}

function aboutHistories(histories: readonly History[]): Readonly<Record<string, number>> {
  const rounds = histories.flatMap(({ conversations }) => conversations.flatMap((one) => one.rounds));
  const { any, all } = sharedWords(histories);
  return {
    histories: histories.length,
    questions: histories.flatMap(({ questions }) => questions).length,
    conversationsEach: Math.round(histories.flatMap((one) => one.conversations).length / histories.length),
    roundsEach: Math.round(rounds.length / histories.length),
    tokensEach: Math.round(rounds.reduce((sum, one) => sum + tokensOf(one.user + one.assistant), 0) / histories.length),
    sharesRareWordWithSomeEvidence: Number(any.toFixed(3)),
    sharesRareWordWithAllEvidence: Number(all.toFixed(3)),
  };
}
